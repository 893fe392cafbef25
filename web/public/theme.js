// Sets the theme before the page is painted. shell/theme.ts follows it from then on.
{
  const stored = localStorage.getItem('posthorn.theme');
  const isDark =
    stored === 'dark' || (stored !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
