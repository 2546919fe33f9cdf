// Show the notice "The server did not answer", which the server has put into the page, while it applies.

export function showUnreachable(unreachable) {
  const notice = document.getElementById("unreachable");
  if (notice) notice.hidden = !unreachable;
}

for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(name, () => showUnreachable(true));
}
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr.status && event.detail.xhr.status < 500) showUnreachable(false);
});
addEventListener("online", () => showUnreachable(false)); // what it says may no longer be true
