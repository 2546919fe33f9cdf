// A tap whose answer does not come: say so, in the words that the server put into the page.
"use strict";

function sayUnreachable(unreachable) {
  const words = document.getElementById("unreachable");
  if (words) words.hidden = !unreachable;
}

for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, () => sayUnreachable(true));
}
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr.status && event.detail.xhr.status < 500) sayUnreachable(false);
});
