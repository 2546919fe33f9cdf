// A tap or key acts only on what was on the screen when it was made: the match, or the values of a box of a score pad.
//
// The version in every form lets the server refuse a move that was made against an older state. But the match can be
// replaced under a finger: then the new form carries the new version. So each press is tied to the drawing that the
// player saw when the press began, and does nothing to any other.
import { drawing, match } from "./drawing.js";

const chooser = document.getElementById("chooser"); // where a score pad shows the values of a box
let choices = 0; // how often its content was replaced
const drawn = () => ({ match: drawing(), chooser: choices });
let onScreen = {}; // what the browser has painted last
const pointers = new Map(); // what was on the screen when each pointer went down, until its click
let lastDown; // the pointer that went down last: in older browsers a click does not say whose it is
const keys = new Map(); // what was on the screen when each key that is down went down
let byKey = null; // … and the key of the event that is handled now
let typing = null; // … and the key that types now: on a phone the input comes later than the key
let first = null; // … and when the first press of a double click began
let acted = false; // whether that one did something

const MOST_POINTERS = 20; // fingers that scroll never click
const MODIFIERS = ["Alt", "AltGraph", "CapsLock", "Control", "Meta", "Shift"];

// Callbacks run before their frame is painted: when the second one runs, the first frame is on the screen.
function whenPainted(act) {
  requestAnimationFrame(() => requestAnimationFrame(act));
}

function noteDrawing() {
  const now = drawn();
  whenPainted(() => {
    onScreen = now;
    if (now.match === drawing()) match().dataset.onScreen = "";
    if (chooser && now.chooser === choices) chooser.dataset.onScreen = "";
  });
}

noteDrawing();
document.addEventListener("htmx:afterSettle", noteDrawing);
if (chooser) {
  const replaced = () => {
    choices += 1;
    delete chooser.dataset.onScreen;
    noteDrawing();
  };
  new MutationObserver(replaced).observe(chooser, { childList: true });
}

addEventListener(
  "pointerdown",
  ({ pointerId }) => {
    pointers.delete(pointerId); // the newest is the last one
    pointers.set(pointerId, onScreen);
    if (pointers.size > MOST_POINTERS) pointers.delete(pointers.keys().next().value);
    lastDown = pointerId;
    typing = null;
  },
  true,
);

// Keys click when they go down, Enter in a task of its own ("keypress"), and Space when it is let go.
function noteKey({ type, code, key, repeat, metaKey }) {
  if (MODIFIERS.includes(key)) return;
  const name = code || key;
  if (type === "keydown" && !repeat) keys.set(name, onScreen);
  byKey = keys.get(name) ?? null;
  setTimeout(() => (byKey = null)); // the click belongs to the same task
  if (type === "keydown" && !repeat) typing = metaKey ? null : { name, seen: onScreen };
  if (type !== "keyup") return;
  keys.delete(name);
  if (typing?.name === name) typing = null;
}
for (const type of ["keydown", "keypress", "keyup"]) addEventListener(type, noteKey, true);
addEventListener("blur", () => {
  keys.clear(); // nobody says when they are let go
  typing = null;
});

// What was on the screen when this click began. Assistive technology clicks without pressing anything.
function seenBy({ detail, pointerId = lastDown }) {
  if (detail === 0) return byKey ?? onScreen;
  const own = pointers.has(pointerId) ? pointers.get(pointerId) : onScreen;
  pointers.delete(pointerId);
  if (detail === 1 || !acted) first = own; // after a click that did nothing the next one counts
  return first;
}

const regionOf = (target) => (match().contains(target) ? "match" : chooser?.contains(target) ? "chooser" : null);
const isOutdated = (seen, region) => seen?.[region] !== drawn()[region];

// Whether the key of the event that is handled now was pressed on what the match shows.
export const isPressedNow = () => !isOutdated(byKey ?? onScreen, "match");

addEventListener(
  "click",
  (event) => {
    const begins = event.detail === 1 || !acted;
    const seen = seenBy(event);
    const region = regionOf(event.target);
    const blocked = Boolean(region) && (isOutdated(seen, region) || rollsAgain(event.target));
    if (event.detail > 0 && begins) acted = !blocked;
    if (!blocked) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

// The last die that is typed sends the roll.
addEventListener(
  "beforeinput",
  (event) => {
    if (event.target.id === "typed" && isOutdated(typing?.seen ?? onScreen, "match")) event.preventDefault();
  },
  true,
);

// Dice that are still rolling cannot be thrown again, unless some of them were marked to stay.
function rollsAgain(target) {
  if (!target.closest("#throw") || match().querySelector("input[name=keep]:checked")) return false;
  return [...match().querySelectorAll(".thrown .die")].some((die) => die.getAnimations().length > 0);
}
