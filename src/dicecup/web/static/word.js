// A word drawn by this browser: the server could not know it when it published its fingerprint. Players may
// replace it with a word of their own, or leave the field empty.
function drawWord(field) {
  if (field.value || field.dataset.drawn) return;
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  field.dataset.drawn = "yes";
}

function drawWords() {
  for (const field of document.querySelectorAll('input[name="seed"]')) drawWord(field);
}

document.addEventListener("htmx:load", drawWords); // also after the form has been replaced
drawWords();
