// What the server cannot do: live changes, keys, the pad for typed dice, words for screen readers.
// Rules are not here: the page shows what the server says.
"use strict";

const table = () => document.getElementById("table");
const REST = 400; // milliseconds after a throw in which a second tap is taken for a slip
let shown = "";
let focused = null;
let begun = null;

function announce() {
  const here = table();
  if (!here || here.dataset.stamp === shown) return;
  shown = here.dataset.stamp;
  document.getElementById("news").textContent = here.dataset.news;
}

function marked() {
  return [...document.querySelectorAll("#table input[name=keep]:checked")].map((box) => box.id);
}

// What a player has begun and not sent: a name, marked dice, typed dice.
function noteBegun() {
  const typed = document.getElementById("typed");
  const names = [...document.querySelectorAll("#table .join input[id]")].map((input) => [input.id, input.value]);
  begun = { version: table().dataset.version, marked: marked(), typed: typed ? typed.value : "", names };
}

// It stays when the table is drawn anew; dice only if nothing was played meanwhile.
function bringBack() {
  if (!begun) return;
  const { version, names, marked, typed } = begun;
  begun = null;
  for (const [id, value] of names) {
    const input = document.getElementById(id);
    if (input) input.value = value;
  }
  if (table().dataset.version !== version) {
    rest();
    return;
  }
  for (const box of document.querySelectorAll("#table input[name=keep]")) box.checked = marked.includes(box.id);
  if (typed && document.getElementById("typed")) write(typed.match(/\d/g) || []);
}

// Two taps instead of one shall not throw all dice again.
function rest() {
  const button = document.getElementById("throw");
  if (!button || !document.querySelector("#table input[name=keep]")) return;
  button.dataset.resting = "";
  setTimeout(() => delete button.dataset.resting, REST);
}

// What is drawn anew loses the focus; the same place, or else the next thing to do, gets it back.
function noteFocus() {
  const active = document.activeElement;
  focused = active && table().contains(active) ? active.id || "throw" : null;
}

function restoreFocus() {
  if (!focused) return;
  const wanted = [focused, "unpick", "throw"].map((id) => document.getElementById(id)).find((found) => found);
  const next = wanted || document.querySelector("#table .big, #table button");
  focused = null;
  if (next) next.focus({ preventScroll: true });
}

function beforeDrawing() {
  noteBegun();
  noteFocus();
}

function swap(html) {
  beforeDrawing();
  // Without a delay: a key pressed before htmx has settled the new table would load the whole page.
  htmx.swap("#table", html, { swapStyle: "outerHTML", settleDelay: 0 });
}

// A browser comes back by itself after a break, but never after a refusal: then we do, ever more slowly.
const SHORTEST_PAUSE = 1000;
const LONGEST_PAUSE = 60000;
let events = null;
let pause = SHORTEST_PAUSE;

function listen() {
  const notLive = document.getElementById("not-live");
  events = new EventSource(`/t/${table().dataset.match}/events`);
  events.addEventListener("open", () => {
    pause = SHORTEST_PAUSE;
    notLive.hidden = true;
    sayUnreachable(false);
  });
  events.addEventListener("table", (event) => {
    if (event.lastEventId !== table().dataset.stamp) swap(event.data);
  });
  events.addEventListener("error", () => {
    notLive.hidden = false;
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, pause * (0.5 + Math.random()));
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  });
}

addEventListener("pagehide", () => events.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});

document.addEventListener("htmx:beforeSwap", beforeDrawing);

document.addEventListener("htmx:afterSettle", () => {
  bringBack();
  announce();
  restoreFocus();
  const active = document.querySelector(".player.active.mine");
  const room = document.querySelector(".sheet-scroll");
  if (room) room.scrollLeft = active ? Math.max(0, active.offsetLeft + active.offsetWidth - room.clientWidth) : 0;
});

function write(digits) {
  const form = document.querySelector(".typing");
  const layers = Number(form.dataset.layers);
  if (digits.length > Number(form.dataset.count) * layers) return;
  const dice = [];
  for (let at = 0; at < digits.length; at += layers) dice.push(digits.slice(at, at + layers).join("-"));
  document.getElementById("typed").value = dice.join(" ");
  form.dataset.next = digits.length % layers;
}

function type(digit) {
  const input = document.getElementById("typed");
  if (!input) return;
  const digits = input.value.match(/\d/g) || [];
  write(digit ? [...digits, digit] : digits.slice(0, -1));
}

document.addEventListener("click", (event) => {
  if (event.target.closest("#throw[data-resting]") && marked().length === 0) event.preventDefault();
  const key = event.target.closest("[data-face], [data-erase]");
  if (key) type(key.dataset.face);
  if (event.target.closest("[data-close]")) {
    document.getElementById("hint").replaceChildren();
    document.getElementById("ask").focus({ preventScroll: true });
  }
});

function moveInSheet(step, sideways) {
  const buttons = [...document.querySelectorAll(".offer button")];
  const at = buttons.indexOf(document.activeElement);
  if (at < 0) return false;
  const row = (button) => button.closest("tr").rowIndex;
  const column = (button) => button.closest("td").cellIndex;
  const here = buttons[at];
  const others = sideways
    ? buttons.filter((button) => row(button) === row(here) && Math.sign(column(button) - column(here)) === step)
    : buttons.filter((button) => column(button) === column(here) && Math.sign(row(button) - row(here)) === step);
  const next = step > 0 ? others[0] : others[others.length - 1];
  if (next) next.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
  if (typing) return;
  const presses = event.key === "Enter" || event.key === " ";
  if (presses && event.repeat) event.preventDefault(); // a key that is held presses once
  if (event.key === " " && !event.repeat && event.target.matches("a[role=button]")) {
    event.target.click();
    event.preventDefault();
  }
  const arrows = { ArrowDown: [1, false], ArrowUp: [-1, false], ArrowRight: [1, true], ArrowLeft: [-1, true] };
  if (arrows[event.key]) {
    if (moveInSheet(...arrows[event.key])) event.preventDefault();
    return;
  }
  if (event.repeat) return;
  const wanted = { t: "throw", u: "undo" }[event.key.toLowerCase()];
  const control = wanted
    ? document.getElementById(wanted)
    : /^[1-9]$/.test(event.key) && document.getElementById(`keep-${event.key - 1}`);
  if (control) {
    control.focus({ preventScroll: true });
    control.click();
    event.preventDefault();
  }
});

announce();
listen();
