// Keys: the first letter of “Roll” in the page's language, or T, rolls; U undoes; digits keep dice; arrows move between boxes.

const rollKey = document.getElementById("match-frame").dataset.rollKey;

function moveInSheet(step, sideways) {
  const buttons = [...document.querySelectorAll(".offer button")];
  const here = buttons.find((button) => button === document.activeElement);
  if (!here) return false;
  const row = (button) => button.closest("tr").rowIndex;
  const column = (button) => button.closest("td").cellIndex;
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
  const wanted = { [rollKey]: "throw", t: "throw", u: "undo" }[event.key.toLowerCase()];
  const control = wanted
    ? document.getElementById(wanted)
    : /^[1-9]$/.test(event.key) && document.getElementById(`keep-${event.key - 1}`);
  if (control) {
    control.focus({ preventScroll: true });
    control.click();
    event.preventDefault();
  }
});
