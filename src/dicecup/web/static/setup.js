import "./word.js";

// Another language is another page: that button sends the form as it would without scripts.
document.addEventListener(
  "submit",
  (event) => {
    if (event.submitter && event.submitter.value === "preferences") event.stopPropagation();
  },
  true,
);
