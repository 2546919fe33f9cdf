// Sounds, vibration and flourishes. The sounds are made here, without files; each can be switched off.
import { match, onDrawn } from "./drawing.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const CONFETTI = 40;
const MOST_WAITING = 3; // sounds: while the browser blocks audio; older ones are dropped
let context = null; // browsers let a page make sounds only after it was touched
let waiting = []; // sounds to be made as soon as the context runs
let sounding = 0; // tones that have not ended
let entry = null; // the last entry that was celebrated

const isOn = (what) => localStorage.getItem(what) !== "off";
function vibrate(pattern) {
  const touched = navigator.userActivation?.hasBeenActive ?? true; // else browsers complain
  if (touched && isOn("vibration")) navigator.vibrate?.(pattern);
}

function tone(at, frequency, length, volume, type = "triangle") {
  const source = new OscillatorNode(context, { type, frequency });
  fade(source, at, length, volume);
}

function knock(at, volume) {
  const length = Math.floor(context.sampleRate * 0.05);
  const buffer = new AudioBuffer({ length, sampleRate: context.sampleRate });
  buffer.getChannelData(0).forEach((_, place, data) => (data[place] = Math.random() * 2 - 1));
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: 1800 + 1800 * Math.random(), Q: 1.5 });
  fade(new AudioBufferSourceNode(context, { buffer }), at, 0.05, volume, filter);
}

function fade(source, at, length, volume, filter = null) {
  const start = context.currentTime + at;
  const gain = new GainNode(context, { gain: volume });
  gain.gain.setValueAtTime(volume, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  (filter ? source.connect(filter) : source).connect(gain).connect(context.destination);
  sounding++;
  source.addEventListener("ended", ended);
  source.start(start);
  source.stop(start + length);
}

// Between two sounds the context rests: running, it takes a tenth of what a game takes of the processor.
function ended() {
  if (--sounding === 0 && waiting.length === 0) context.suspend();
}

const SOUNDS = {
  roll: (dice) => {
    for (let knocks = 0; knocks < 3 * dice; knocks++) knock(0.5 * Math.random() ** 1.5, 0.25);
  },
  keep: () => tone(0, 880, 0.07, 0.12),
  write: () => [523, 784].forEach((frequency, place) => tone(0.08 * place, frequency, 0.18, 0.15)),
  turn: () => [659, 880].forEach((frequency, place) => tone(0.15 * place, frequency, 0.35, 0.2)),
  flourish: () => [523, 659, 784, 1047, 1319].forEach((frequency, place) => tone(0.1 * place, frequency, 0.5, 0.2)),
};

async function play(sound, ...given) {
  if (!context || !isOn("sound")) return;
  waiting = [...waiting, () => SOUNDS[sound](...given)].slice(-MOST_WAITING);
  await context.resume();
  for (const make of waiting.splice(0)) make();
}

// It is the viewer's turn, who may be looking elsewhere.
export function ring() {
  play("turn");
  vibrate([60, 80, 60]);
}

function celebrate(what) {
  play("flourish");
  vibrate([40, 60, 40, 60, 120]);
  if (still.matches) return;
  const party = document.createElement("div");
  party.className = `confetti ${what}`;
  party.setAttribute("aria-hidden", "true");
  for (let piece = 0; piece < CONFETTI; piece++) {
    const paper = party.appendChild(document.createElement("i"));
    paper.style.left = `${100 * Math.random()}%`;
    paper.style.animationDelay = `${0.6 * Math.random()}s`;
    paper.style.background = `hsl(${360 * Math.random()} 80% 60%)`;
  }
  let falling = CONFETTI;
  party.addEventListener("animationend", () => --falling || party.remove());
  document.body.append(party);
}

onDrawn((before) => {
  const last = document.getElementById("match-last");
  const fresh = last && entry !== null && last.dataset.move !== entry;
  entry = last ? last.dataset.move : entry;
  match().classList.toggle("just-written", Boolean(fresh)); // else the box would flash with every roll after it
  if (before === null || before === match().dataset.version) return;
  const thrown = match().querySelectorAll(".die-box.thrown").length;
  if (thrown) {
    play("roll", thrown);
    vibrate(30);
  } else if (fresh && last.dataset.flourish) celebrate(last.dataset.flourish);
  else if (fresh) play("write");
});

// Marking dice is heard and felt at once.
document.addEventListener("change", (event) => {
  if (event.target.name !== "keep") return;
  play("keep");
  vibrate(10);
});

addEventListener("pointerdown", wake, { once: true });
addEventListener("keydown", wake, { once: true });
function wake() {
  if (context || !window.AudioContext) return;
  context = new AudioContext();
  context.suspend();
}

for (const control of document.querySelectorAll("[data-switch]")) {
  const what = control.dataset.switch;
  if (what === "vibration" && !navigator.vibrate) continue;
  control.hidden = false;
  control.parentElement.hidden = false;
  control.setAttribute("aria-pressed", isOn(what));
  control.addEventListener("click", () => {
    localStorage.setItem(what, isOn(what) ? "off" : "on");
    for (const same of document.querySelectorAll(`[data-switch=${what}]`)) same.setAttribute("aria-pressed", isOn(what));
  });
}
