// A tap or key acts only on the match that was on the screen when it was made.
//
// The version in every form lets the server refuse a move that was made against an older state. But the match can be
// replaced under a finger: then the new form carries the new version. So each press is tied to the drawing that the
// player saw when the press began, and does nothing to any other.
import { drawing, match } from "./drawing.js";

let onScreen = null; // what the browser has painted last
const pointers = new Map(); // what was on the screen when each pointer that is down went down
const keys = new Map(); // … and each key
let released = null; // the pointer that went up last: the click that follows is its
let byKey = null; // what was on the screen when the key of the event under way went down
let first = null; // … and when the first press of a double click began

function setOnScreen() {
  onScreen = drawing();
  match().dataset.onScreen = "";
}

setOnScreen();
document.addEventListener("htmx:afterSettle", () => {
  const drawn = drawing();
  const painted = () => drawn === drawing() && setOnScreen();
  // Callbacks run before their frame is painted: when the second one runs, the first frame is on the screen.
  requestAnimationFrame(() => requestAnimationFrame(painted));
});

addEventListener("pointerdown", ({ pointerId }) => pointers.set(pointerId, onScreen), true);
addEventListener("pointercancel", ({ pointerId }) => pointers.delete(pointerId), true);
addEventListener(
  "pointerup",
  ({ pointerId }) => {
    released = { pointerId, seen: pointers.get(pointerId) };
    pointers.delete(pointerId);
  },
  true,
);

function noteKey({ type, code, key, repeat }) {
  const name = code || key;
  if (type === "keydown" && !repeat) keys.set(name, onScreen);
  byKey = keys.get(name);
  if (type === "keyup") keys.delete(name);
  setTimeout(() => (byKey = null)); // the click that a key makes belongs to the same task
}
addEventListener("keydown", noteKey, true);
addEventListener("keyup", noteKey, true);

// What was on the screen when this click began. Assistive technology clicks without pressing anything.
function seenBy({ detail, pointerId = released?.pointerId }) {
  if (detail === 0) return byKey ?? onScreen;
  if (detail === 1) first = (pointerId === released?.pointerId && released?.seen) || onScreen;
  released = null;
  return first;
}

addEventListener(
  "click",
  (event) => {
    const seen = seenBy(event);
    if (!match().contains(event.target) || (seen === drawing() && !rollsAgain(event.target))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

// Dice that are still rolling cannot be thrown again, unless some of them were marked to stay.
function rollsAgain(target) {
  if (!target.closest("#throw") || match().querySelector("input[name=keep]:checked")) return false;
  return [...match().querySelectorAll(".thrown .die")].some((die) => die.getAnimations().length > 0);
}
