// A tap or key acts only on the match that was on the screen when it was made.
//
// The version in every form lets the server refuse a move that was made against an older state. But the match can be
// replaced under a finger: then the new form carries the new version. So each press is tied to the drawing that the
// player saw when the press began, and does nothing to any other.
import { drawing, match } from "./drawing.js";

let onScreen = null; // what the browser has painted last
let begun = null; // what was on the screen when the press under way began
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

addEventListener("pointerdown", () => (begun = onScreen), true);
addEventListener(
  "mousedown",
  (event) => {
    if (event.detail > 1) begun = first;
    else first = begun;
  },
  true,
);
addEventListener(
  "keydown",
  (event) => {
    if (!event.repeat) begun = onScreen;
  },
  true,
);
addEventListener("keyup", () => setTimeout(() => (begun = null))); // after the click that Space makes

addEventListener(
  "click",
  (event) => {
    const seen = begun ?? onScreen; // assistive technology clicks without pressing anything
    begun = null;
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
