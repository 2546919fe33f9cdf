// Copy a link, or hand it to the device's own sharing. Browsers offer the clipboard only on secure pages.
const field = (button, kind) => document.getElementById(button.dataset[kind]);

async function copy(button) {
  const input = field(button, "copy");
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    input.select();
    if (!document.execCommand("copy")) return; // it stays selected, to be copied by hand
  }
  const done = button.parentElement.querySelector(".copied");
  done.textContent = "";
  requestAnimationFrame(() => (done.textContent = done.dataset.done));
}

function prepare(part) {
  for (const button of part.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  for (const button of part.querySelectorAll("[data-share]")) {
    button.hidden = !navigator.share;
    const share = () => navigator.share({ title: document.title, url: field(button, "share").value });
    button.addEventListener("click", () => share().catch(() => null)); // whoever changes their mind is fine
  }
  for (const input of part.querySelectorAll("input.address")) {
    input.addEventListener("focus", () => input.select());
  }
}

prepare(document);
document.addEventListener("htmx:load", (event) => event.detail.elt !== document.body && prepare(event.detail.elt));
