// Runs before the page is painted. It sets the theme, which shell/theme.ts follows from then on, and shows the frame of
// index.html until the app is there.
{
  const stored = localStorage.getItem('posthorn.theme');
  const isDark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const { dataset } = document.documentElement;
  dataset.theme = isDark ? 'dark' : 'light';
  // The pages before signing in have no sidebar.
  if (!/^\/(sign-in|setup|invitation|forgotten|reset)$/.test(location.pathname)) dataset.frame = '';
}
