"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.matches("input:not([type=checkbox])") ? event.target : null;
  if (field) {
    if (event.key === "Escape") field.blur();
    if (event.key === "Enter" && field.id === "points") {
      event.preventDefault();
      document.querySelector("button[value=change]").click();
    } else if (event.key === "Enter") {
      event.preventDefault();
      field.blur();
    }
    return;
  }
  if (!/^[a-z*]$/.test(event.key)) return;
  const wanted = document.querySelector(`[data-key="${event.key}"]`);
  if (!wanted) return;
  event.preventDefault();
  if (wanted.matches("input:not([type=checkbox])")) wanted.focus();
  else if (!event.repeat) wanted.click();
});
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});
