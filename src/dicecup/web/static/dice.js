// Dice: how many the button rolls, their order on the screen, and the marks that others see.
import { match, onDrawn } from "./drawing.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const boxes = () => [...match().querySelectorAll(".dice .die-box[data-slot]")];
let sorted = { turn: "", slots: [] }; // how the player has sorted the dice of this turn
let sending = false;
let unsent = false;

onDrawn((before) => {
  // Drawn again without a roll: the dice lie still.
  if (before === match().dataset.version) for (const box of boxes()) box.classList.remove("thrown");
  const dice = match().querySelector(".dice");
  const sort = document.getElementById("sort");
  if (sort) sort.hidden = false;
  if (dice && dice.dataset.turn === sorted.turn) arrange(sorted.slots);
  count();
});

// The server has written a text for every number of dice, since plural forms differ between languages.
function count() {
  const button = document.getElementById("throw");
  if (!button || !button.dataset.rolls) return;
  const rolled = match().querySelectorAll("input[name=keep]:not(:checked)").length;
  button.textContent = JSON.parse(button.dataset.rolls)[rolled];
  button.disabled = rolled === 0;
}

function arrange(slots) {
  const dice = match().querySelector(".dice");
  const found = new Map(boxes().map((box) => [box.dataset.slot, box]));
  for (const slot of slots) if (found.has(slot)) dice.append(found.get(slot));
}

function sort() {
  const before = new Map(boxes().map((box) => [box, box.getBoundingClientRect()]));
  const value = (box) => box.dataset.sort;
  const slots = boxes()
    .sort((one, other) => value(one).localeCompare(value(other)))
    .map((box) => box.dataset.slot);
  sorted = { turn: match().querySelector(".dice").dataset.turn, slots };
  arrange(slots);
  if (still.matches) return;
  for (const [box, { left, top }] of before) {
    const now = box.getBoundingClientRect();
    const from = `translate(${left - now.left}px, ${top - now.top}px)`;
    box.animate([{ transform: from }, { transform: "none" }], { duration: 250, easing: "ease-out" });
  }
}

// One request at a time, and after it one with whatever was marked meanwhile: taps never queue up.
async function send() {
  if (sending) {
    unsent = true;
    return;
  }
  sending = true;
  const { match: id, version } = match().dataset;
  const body = new URLSearchParams({ version });
  for (const box of match().querySelectorAll("input[name=keep]:checked")) body.append("keep", box.value);
  const headers = JSON.parse(document.getElementById("match-frame").getAttribute("hx-headers"));
  // Nothing depends on it: whoever misses these marks sees them with the next roll.
  await fetch(new URL(`../../t/${id}/marks`, import.meta.url), { method: "POST", body, headers }).catch(() => null);
  sending = false;
  if (unsent) {
    unsent = false;
    send();
  }
}

// What the player marks at this moment, on everybody else's screen.
export function showMarks(text) {
  const [version, ...slots] = text.split(" ");
  if (version !== match().dataset.version || match().querySelector("input[name=keep]")) return;
  for (const box of boxes()) box.classList.toggle("marked", slots.includes(box.dataset.slot));
}

document.addEventListener("change", (event) => {
  if (event.target.name !== "keep") return;
  count();
  send();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("#sort")) sort();
  // A tap on the dice of a bot shows what it wrote.
  else if (event.target.closest(".dice")) document.getElementById("skip")?.click();
});
