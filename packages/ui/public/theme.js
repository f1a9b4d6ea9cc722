// Runs before the first paint, so that a chosen theme does not flash the other one.
try {
  const chosen = localStorage.getItem('spillway-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off: the system's theme is used.
}
