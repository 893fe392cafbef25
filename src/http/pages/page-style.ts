/** The colours and base styles of all pages that the server renders. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --panel: #f5f3ee; --line: #e2ded4; --ink: #23211d; --soft: #625e55; --brass: #875400;
  --horn: #e5ae45; --get: #0a557f; --get-tint: #e1eff7; --post: #17623a; --post-tint: #e0f2e7;
  --put: #764e00; --put-tint: #f7ebcf; --delete: #9c2820; --delete-tint: #fbe5e2;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16171a; --panel: #1e2024; --line: #34373d; --ink: #e8e5de; --soft: #aaa69c; --brass: #f0bf63;
    --get: #93cdf1; --get-tint: #15303f; --post: #93dbab; --post-tint: #153524;
    --put: #f0c878; --put-tint: #3a2e13; --delete: #f7aca4; --delete-tint: #46221e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--brass); text-underline-offset: .2em; text-decoration-thickness: .06em; }
a:hover { text-decoration-thickness: .12em; }
:focus-visible { outline: 2px solid var(--brass); outline-offset: 2px; border-radius: 3px; }
code { font: .875em/1.5 var(--mono); }
p code, li code, td code { padding: .1em .3em; border-radius: 4px; background: var(--panel); overflow-wrap: anywhere; }
pre {
  margin: 0; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel);
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem; line-height: 1.55;
}
pre code { font-size: inherit; line-height: inherit; }
`;

const HORN = `fill="none" stroke="#e5ae45" stroke-width="2"
stroke-linecap="round" stroke-linejoin="round"><circle cx="10" cy="10" r="5"/><path d="M2 5h8M10 15h5"/>
<path d="M15 15c3 0 5-2 6.5-5v10c-1.5-3-3.5-5-6.5-5z" fill="#e5ae45"/></svg>`;

/** The logo of a page. It is not a character, because not every font has one. */
export const PAGE_LOGO = `<svg class="logo" viewBox="0 0 24 24" aria-hidden="true" ${HORN}`;

/** The icon of the browser tab. It is encoded completely, so that the page contains no URL. */
export const PAGE_ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${HORN}`,
)}`;
