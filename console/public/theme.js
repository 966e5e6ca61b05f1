// Sets the chosen theme before the first paint, so that no light page flashes up in the dark.
try {
  const theme = localStorage.getItem('everturn.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows the theme of the system.
}
