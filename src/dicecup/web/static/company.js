// The others: who is here, what they say, and that it is your turn.
import { match, onDrawn } from "./drawing.js";
import { ring } from "./feedback.js";

const frame = document.getElementById("match-frame");
const said = document.getElementById("said");
const title = document.title.replace(`${frame.dataset.yourTurn} · `, "");
const SHOWN = 5000; // milliseconds
let here = null; // the seats whose players have the match open, once the live stream has said so
let waiting = null; // for whom the viewer waited in the drawing before: a person or a bot

export function showPresence(text) {
  here = text.split(" ");
  drawPresence();
}

function drawPresence() {
  if (!here) return;
  for (const dot of document.querySelectorAll("#match .presence")) {
    const isHere = here.includes(dot.dataset.seat);
    dot.classList.toggle("here", isHere);
    dot.firstElementChild.textContent = `(${isHere ? frame.dataset.here : frame.dataset.away})`;
  }
}

// A bubble with the name of whoever said it; screen readers read it out.
export function showReaction(text) {
  const [seat, id] = text.split(" ");
  const words = JSON.parse(said.dataset.words ?? "{}")[id];
  const name = match().querySelector(`#chip-${seat} :is(.player-name, .pad-name)`)?.textContent;
  if (!words) return;
  const bubble = document.createElement("p");
  bubble.textContent = name ? `${name}: ${words}` : words;
  said.append(bubble);
  setTimeout(() => bubble.remove(), SHOWN);
}

document.getElementById("reactions")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const headers = JSON.parse(frame.getAttribute("hx-headers"));
  const body = new URLSearchParams({ reaction: event.submitter.value });
  fetch(form.action, { method: "POST", body, headers }).catch(() => null);
  form.hidePopover();
});

onDrawn((before) => {
  drawPresence();
  const banner = document.getElementById("match-banner");
  const yours = banner?.classList.contains("yours") ?? false;
  if (frame.dataset.yourTurn) document.title = yours ? `${frame.dataset.yourTurn} · ${title}` : title;
  const wanted = waiting === "bot" ? document.hidden : waiting && frame.dataset.yourTurn;
  if (yours && wanted && before !== null) ring();
  waiting = yours ? null : banner?.querySelector(".bot-mark") ? "bot" : "person";
});
