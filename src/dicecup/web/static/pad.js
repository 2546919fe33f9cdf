// A score pad: a tap on a box shows its values, a tap on a value writes it. Both work without this script.
// Here the values open in the page, digits and Enter choose one of them, and the screen stays awake.
import { match } from "./drawing.js";
import { isPressedNow } from "./presses.js";
import { showUnreachable } from "./reach.js";

const { htmx } = window; // a classic script: its only documented access is this global
const chooser = document.getElementById("chooser");
let digits = ""; // typed so far, to choose a value
let opener = ""; // the id of the cell whose values are shown, or are being fetched
let early = null; // digits that were typed while they are being fetched
let asked = 0; // how often values were asked for: only the last answer counts

const cell = (id) => document.getElementById(id);
const values = () => [...chooser.querySelectorAll("[name=points]:not([disabled])")];

async function open(link, typed = "") {
  if (early !== null && opener === link.id) return;
  const number = (asked += 1);
  opener = link.id;
  digits = "";
  early = typed;
  markOpen();
  for (const button of values()) button.disabled = true; // those of another box
  const html = await fetched(link.href);
  if (number !== asked) return; // another box was asked for meanwhile, or none any more
  showUnreachable(html === null);
  if (html === null) return close();
  if (!html) return location.assign(link.href); // the server explains on a page what it has against it
  const keys = early;
  early = null;
  chooser.innerHTML = html;
  htmx.process(chooser);
  values()
    .find((button) => button.value !== "nothing")
    ?.focus({ preventScroll: true });
  for (const key of keys) type(key);
}

// The values of a box as HTML; empty if the server answers with something else, null if it doesn't answer.
async function fetched(address) {
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    const html = await answer.text();
    return answer.ok && html.includes('class="choose"') ? html : "";
  } catch {
    return null;
  }
}

function close(next = opener) {
  chooser.replaceChildren();
  opener = "";
  early = null;
  asked += 1;
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
  const link = event.target.matches("#pad a") && event.target.id !== opener ? event.target : null;
  if (event.key === "Escape" && opener) close();
  else if (isDigit && early !== null && !link) early += event.key;
  else if (isDigit && early === null && chooser.childElementCount) type(event.key);
  else if (isDigit && event.target.matches("#pad a") && !event.repeat && isPressedNow()) open(event.target, event.key);
  else if (event.key === " " && event.target.matches("#pad a")) {
    event.preventDefault();
    if (!event.repeat) event.target.click();
  }
});

// After a write the focus goes to the same box of whoever is next, unless another box was opened meanwhile.
chooser.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.successful || !event.target.matches(".choose")) return;
  const { at } = event.target.dataset;
  if (opener && opener !== `at-${at}`) return;
  const [, ...box] = at.split(".");
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
