// The pad for dice that were rolled on a real table: taps on faces become text in the field.

export function write(digits) {
  const form = document.querySelector(".typing");
  const layers = Number(form.dataset.layers);
  if (digits.length > Number(form.dataset.count) * layers) return;
  const dice = [];
  for (let at = 0; at < digits.length; at += layers) dice.push(digits.slice(at, at + layers).join("-"));
  document.getElementById("typed").value = dice.join(" ");
  form.dataset.next = digits.length % layers;
}

document.addEventListener("click", (event) => {
  const key = event.target.closest("[data-face], [data-erase]");
  const input = document.getElementById("typed");
  if (!key || !input) return;
  const digits = input.value.match(/\d/g) || [];
  write(key.dataset.face ? [...digits, key.dataset.face] : digits.slice(0, -1));
  if (key.dataset.face) sendWhenComplete(input);
});

// The last die sends the roll; Undo is at hand.
function sendWhenComplete(input) {
  const { count, layers } = input.form.dataset;
  if ((input.value.match(/\d/g) || []).length === count * layers) input.form.requestSubmit();
}

document.addEventListener("input", (event) => {
  if (event.target.id === "typed" && event.inputType === "insertText") sendWhenComplete(event.target);
});
