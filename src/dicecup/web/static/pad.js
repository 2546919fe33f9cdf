// A score pad: a tap on a box shows its values, a tap on a value writes it. Both work without this script.
// Here the values open in the page, digits and Enter choose one of them, and the screen stays awake.
import { match } from "./drawing.js";

const { htmx } = window; // a classic script: its only documented access is this global
const chooser = document.getElementById("chooser");
let digits = ""; // typed so far, to choose a value
let opener = ""; // the id of the cell whose values are shown
let early = null; // digits that were typed while its values were fetched

const cell = (id) => document.getElementById(id);
const values = () => [...chooser.querySelectorAll("[name=points]:not([disabled])")];

async function open(link, typed = "") {
  if (early !== null && opener === link.id) return; // its values are on their way
  opener = link.id;
  digits = "";
  early = typed;
  let keys = "";
  try {
    await htmx.ajax("GET", link.href, { target: "#chooser", swap: "innerHTML" });
  } finally {
    if (opener === link.id) [keys, early] = [early, null];
  }
  if (!opener) chooser.replaceChildren(); // closed meanwhile
  if (opener !== link.id) return;
  markOpen();
  values()
    .find((button) => button.value !== "nothing")
    ?.focus({ preventScroll: true });
  for (const key of keys) type(key);
}

function close(next = opener) {
  chooser.replaceChildren();
  opener = "";
  early = null;
  markOpen();
  (cell(next) || document.getElementById("headline"))?.focus({ preventScroll: true });
}

function markOpen() {
  for (const link of document.querySelectorAll("#pad [aria-current]")) link.removeAttribute("aria-current");
  cell(opener)?.setAttribute("aria-current", "true");
}

// Digits add up to a value; those that lead to none begin anew.
function type(key) {
  const find = (text) => values().find((button) => button.value.replace("-", "") === text);
  const begins = (text) => values().some((button) => button.value.replace("-", "").startsWith(text));
  digits = begins(digits + key) ? digits + key : key;
  find(digits)?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("#pad a");
  if (link) {
    event.preventDefault();
    open(link);
  } else if (event.target.closest("[data-done]")) {
    event.preventDefault();
    close();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const isDigit = /^[0-9]$/.test(event.key);
  if (event.key === "Escape" && opener) close();
  else if (isDigit && early !== null) early += event.key;
  else if (isDigit && chooser.childElementCount) type(event.key);
  else if ((isDigit || event.key === " ") && event.target.matches("#pad a")) {
    event.preventDefault();
    open(event.target, isDigit ? event.key : "");
  }
});

// After a write the focus goes to the same box of whoever is next.
chooser.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.successful || !event.target.matches(".choose")) return;
  const [, ...box] = event.target.dataset.at.split(".");
  const next = [...match().querySelectorAll(".pad-player")].findIndex((head) => head.matches(".next"));
  close(next < 0 ? "headline" : `at-${[next, ...box].join(".")}`);
});
document.addEventListener("match:drawn", markOpen);

// Nobody wants to wake the phone before every turn. Browsers release the lock when the page is hidden.
async function stayAwake() {
  if (document.visibilityState !== "visible") return;
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // not allowed here, or the battery is low
  }
}

document.addEventListener("visibilitychange", stayAwake);
stayAwake();
