// The secret of a private link stands behind the #, which is sent to nobody: hand it over here, then forget it.
const token = location.hash.slice(1);
const form = document.getElementById("claim");
form.elements.token.value = token;
history.replaceState(null, "", location.pathname);
if (token) form.requestSubmit();
