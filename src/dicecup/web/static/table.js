// What the server cannot do: live changes, keys, the pad for typed dice, words for screen readers.
// Rules are not here: the page shows what the server says.
"use strict";

const table = () => document.getElementById("table");
let shown = "";
let focused = null;

function announce() {
  const here = table();
  if (!here || here.dataset.stamp === shown) return;
  shown = here.dataset.stamp;
  document.getElementById("news").textContent = here.dataset.news;
}

// Dice that are marked stay marked when the table is drawn anew and nothing was played meanwhile.
function marked() {
  return [...document.querySelectorAll("#table input[name=keep]:checked")].map((box) => box.id);
}

// A name that is being written stays, whatever the players do meanwhile.
function joining() {
  return [...document.querySelectorAll("#table .join input[id]")].map((input) => [input.id, input.value]);
}

// What is drawn anew loses the focus; the same place, or else the next thing to do, gets it back.
function noteFocus() {
  const active = document.activeElement;
  focused = active && table().contains(active) ? active.id || "throw" : null;
}

function restoreFocus() {
  if (!focused) return;
  const next = document.getElementById(focused) || document.getElementById("throw") || document.querySelector("#table button");
  focused = null;
  if (next) next.focus({ preventScroll: true });
}

function swap(html) {
  const typed = document.getElementById("typed");
  const before = { version: table().dataset.version, marked: marked(), typed: typed && typed.value, joining: joining() };
  noteFocus();
  // Without a delay: a key pressed before htmx has settled the new table would load the whole page.
  htmx.swap("#table", html, { swapStyle: "outerHTML", settleDelay: 0 });
  for (const [id, value] of before.joining) {
    const input = document.getElementById(id);
    if (input) input.value = value;
  }
  if (table().dataset.version === before.version) {
    for (const id of before.marked) {
      const box = document.getElementById(id);
      if (box) box.checked = true;
    }
    if (before.typed) document.getElementById("typed").value = before.typed;
  }
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

document.addEventListener("htmx:beforeSwap", noteFocus);

document.addEventListener("htmx:afterSettle", () => {
  announce();
  restoreFocus();
  const active = document.querySelector(".player.active.mine");
  const room = document.querySelector(".sheet-scroll");
  if (room) room.scrollLeft = active ? Math.max(0, active.offsetLeft + active.offsetWidth - room.clientWidth) : 0;
});

function type(digit) {
  const form = document.querySelector(".typing");
  const input = document.getElementById("typed");
  if (!form || !input) return;
  const layers = Number(form.dataset.layers);
  const digits = (input.value.match(/\d/g) || []).concat(digit ? [digit] : []);
  if (!digit) digits.pop();
  if (digits.length > Number(form.dataset.count) * layers) return;
  const dice = [];
  for (let at = 0; at < digits.length; at += layers) dice.push(digits.slice(at, at + layers).join("-"));
  input.value = dice.join(" ");
  form.dataset.next = digits.length % layers;
}

document.addEventListener("click", (event) => {
  const key = event.target.closest("[data-face], [data-erase]");
  if (key) type(key.dataset.face);
  if (event.target.closest("[data-close]")) document.getElementById("hint").replaceChildren();
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
  const arrows = { ArrowDown: [1, false], ArrowUp: [-1, false], ArrowRight: [1, true], ArrowLeft: [-1, true] };
  if (arrows[event.key]) {
    if (moveInSheet(...arrows[event.key])) event.preventDefault();
    return;
  }
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
