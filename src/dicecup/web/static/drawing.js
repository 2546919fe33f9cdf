// Draw the match anew, from the answer to a request or from a live event, whichever comes first.
// What the player has begun, which sheets are open and where the focus is survive it.
import { write } from "./dice_pad.js";

const { htmx } = window; // a classic script: its only documented access is this global
const FRAME = "match-frame"; // the element around the match, which stays when the match is replaced
let before = null; // what has to survive the drawing under way
let shown = null; // what was drawn last, as it was sent

export const match = () => document.getElementById("match");

// Identifies what can be seen: the server's stamp of the match, and the boxes that are picked.
export const drawing = () => `${match().dataset.stamp} ${match().dataset.picked}`;

// Call something now, and again whenever the match has been drawn; it gets the version that was shown before.
export function onDrawn(act) {
  act(null);
  document.addEventListener("match:drawn", (event) => act(event.detail));
}

export function draw(html) {
  const drawn = parsed(html);
  if (isMatch(drawn) && !isOutdated(drawn)) replace(drawn, html);
}

// As htmx does, but without its events for each element that goes: those of a large sheet take longer than the rest.
function replace(drawn, html) {
  remember();
  shown = html.trim();
  const old = match();
  old.before(drawn);
  old.remove();
  htmx.process(drawn);
  htmx.trigger(drawn, "htmx:load");
  htmx.trigger(drawn, "htmx:afterSettle");
}

// Replace the parts that changed, each by the element with its id. Of the match itself only attributes are sent.
export function drawParts(parts) {
  remember();
  shown = null;
  for (const html of parts) {
    const template = document.createElement("template");
    template.innerHTML = html;
    const part = template.content.firstElementChild;
    if (part.id === "match") copyAttributes(part, match());
    else document.getElementById(part.id).replaceWith(part);
    htmx.process(part);
  }
  htmx.trigger(match(), "htmx:afterSettle"); // as if htmx had drawn the whole match
}

function copyAttributes(from, to) {
  for (const name of to.getAttributeNames()) if (!from.hasAttribute(name)) to.removeAttribute(name);
  for (const name of from.getAttributeNames()) to.setAttribute(name, from.getAttribute(name));
}

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== FRAME) return;
  if (event.detail.xhr.status < 400) forgetSent(event.detail.requestConfig.elt);
  if (!event.detail.shouldSwap) return;
  event.detail.shouldSwap = false;
  const html = event.detail.serverResponse;
  const drawn = parsed(html);
  // An event may have drawn it already: dice that are rolling go on rolling.
  if (isMatch(drawn) && !isOutdated(drawn) && html.trim() !== shown) replace(drawn, html);
});

document.addEventListener("htmx:afterSettle", () => {
  if (!before) return; // not the match
  const { version, focused, names, open, marked, typed } = before;
  before = null;
  restoreInputs(names, match().dataset.version === version ? marked : null, typed);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  announce();
  document.dispatchEvent(new CustomEvent("match:drawn", { detail: version }));
  if (focused) moveFocus(focused.id);
});

// Answers and events can overtake each other. A version never returns: an undo is a new version, too.
function isOutdated(drawn) {
  return Number(drawn.dataset.version) < Number(match().dataset.version);
}

// Not so an empty answer, or the page of a proxy that did not reach the server: the match stays.
const isMatch = (drawn) => drawn?.id === "match";

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}

export function announce() {
  const news = document.getElementById("news");
  if (news.dataset.stamp === match().dataset.stamp) return;
  news.dataset.stamp = match().dataset.stamp;
  news.textContent = match().dataset.news;
}

function remember() {
  const active = document.activeElement;
  const typed = document.getElementById("typed");
  before = {
    version: match().dataset.version,
    focused: match().contains(active) ? active : null,
    names: [...document.querySelectorAll("#match .join input[id]")].map((input) => [input.id, input.value]),
    open: [...document.querySelectorAll("#match details[id][open]")].map((sheet) => sheet.id),
    marked: [...document.querySelectorAll("#match input[name=keep]:checked")].map((box) => box.id),
    typed: typed ? typed.value : "",
  };
}

// A name that the server has taken is not written again. A live event may have drawn its form anew meanwhile.
function forgetSent(form) {
  if (!form.matches(".join")) return;
  for (const { id } of form.querySelectorAll("input[id]")) if (document.getElementById(id)) document.getElementById(id).value = "";
  document.getElementById(form.closest("details")?.id)?.removeAttribute("open");
}

// Dice are restored only if nothing was played meanwhile: `marked` is null otherwise.
function restoreInputs(names, marked, typed) {
  for (const [id, value] of names) {
    const input = document.getElementById(id);
    if (input) input.value = value;
  }
  if (!marked) return;
  for (const box of document.querySelectorAll("#match input[name=keep]")) box.checked = marked.includes(box.id);
  if (typed && document.getElementById("typed")) write(typed.match(/\d/g) || []);
}

// To the same control, or else to the next thing to do: never to undo, where the next Space would undo what was done.
// While there is nothing to do, the headline holds the focus.
function moveFocus(id) {
  const places = ["#throw", ".offer button", ".big", "#headline"];
  if (id && id !== "headline") places.unshift(`[id="${id}"]`);
  places.unshift("#send"); // two boxes are picked: they can be sent
  const next = places.map((place) => match().querySelector(place)).find((found) => found);
  if (next) next.focus({ preventScroll: true });
}
