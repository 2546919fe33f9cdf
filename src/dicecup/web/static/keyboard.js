// Keys: the first letter of “Roll” in the page's language, or T, rolls; U undoes; digits keep dice; arrows move between
// boxes; Escape closes a sheet.

const rollKey = document.getElementById("match-frame").dataset.rollKey;

const middle = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

const CELLS = ".offer button, #pad a";

// To the nearest box in this direction; what lies aside counts as farther away.
function moveInSheet([x, y]) {
  const here = document.activeElement;
  if (!here.matches(CELLS)) return false;
  const from = middle(here);
  let best = null;
  for (const button of document.querySelectorAll(CELLS)) {
    const to = middle(button);
    const along = (to.x - from.x) * x + (to.y - from.y) * y;
    const aside = Math.abs((to.x - from.x) * y) + Math.abs((to.y - from.y) * x);
    const distance = along + 3 * aside;
    if (along > 1 && (!best || distance < best.distance)) best = { button, distance };
  }
  best?.button.focus();
  return true;
}

const ARROWS = { ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };

function wanted(key) {
  const name = { [rollKey]: "throw", t: "throw", u: "undo" }[key.toLowerCase()];
  if (name) return document.getElementById(name);
  return /^[1-9]$/.test(key) ? document.querySelectorAll("#match input[name=keep]")[key - 1] : null;
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
  if (ARROWS[event.key]) {
    if (moveInSheet(ARROWS[event.key])) event.preventDefault();
    return;
  }
  if (event.repeat) return;
  const open = event.key === "Escape" && document.querySelector(".opens[open]");
  if (open) {
    open.open = false;
    open.querySelector("summary").focus({ preventScroll: true });
  }
  const control = wanted(event.key);
  if (control) {
    control.focus({ preventScroll: true });
    control.click();
    event.preventDefault();
  }
});
