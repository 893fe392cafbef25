/** The frame of the pages at /docs: the same bar, contents and styles as the API page, and no script. */
import { DOCS_STYLE } from '../../src/http/docs/style.ts';
import { markup, Markup } from '../../src/http/pages/markup.ts';
import { PAGE_ICON, PAGE_LOGO, PAGE_STYLE } from '../../src/http/pages/page-style.ts';
import type { DocsGroup, DocsPage } from './pages.ts';

const GUIDE_STYLE = `
main { max-width: 54rem; }
h2 { margin: 2.75rem 0 .75rem; }
h3 { margin: 2rem 0 .5rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover { text-decoration: underline; }
main p, main li { overflow-wrap: break-word; }
main li { margin: .25rem 0; max-width: 42rem; }
main ul, main ol { margin: 0 0 .75rem; padding-left: 1.4rem; }
main pre { margin: 0 0 1rem; }
figure { margin: 0 0 1rem; }
figcaption { margin: 0 0 .3rem; font-size: .8125rem; color: var(--soft); }
.wide { margin: 0 0 1rem; overflow-x: auto; }
.wide th { padding: 0 1rem .35rem 0; font-size: .8125rem; color: var(--soft); }
.wide td { min-width: 7rem; padding-right: 1rem; }
.contents a[aria-current] { background: var(--line); font-weight: 600; }
.next { margin-top: 3.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.cards { padding: 0; list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; }
.cards a { display: block; height: 100%; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; color: inherit; text-decoration: none; }
.cards a:hover { background: var(--panel); }
.cards b { display: block; margin-bottom: .25rem; font-weight: 600; }
.cards span { font-size: .9375rem; color: var(--soft); }
`;

export function renderFrame(
  title: string,
  description: string,
  current: string,
  groups: DocsGroup[],
  main: Markup,
): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Posthorn</title>
<meta name="description" content="${description}">
<link rel="icon" href="${PAGE_ICON}">
<style>${new Markup(PAGE_STYLE + DOCS_STYLE + GUIDE_STYLE)}</style>
</head>
<body id="top">
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="/docs">${new Markup(PAGE_LOGO)} Posthorn docs</a> <a href="#contents">Contents</a></header>
<nav class="contents" id="contents" aria-label="Contents">
<p class="top"><a class="brand" href="/docs">${new Markup(PAGE_LOGO)} Posthorn docs</a> <a class="close" href="#resting">Close</a></p>
<ul>
${groups.map(({ name, pages }) => renderGroup(name, pages, current))}
<li><span class="group">Reference</span>
<ul><li><a href="/api/docs">The API</a></li></ul></li>
</ul>
</nav>
<span class="resting" id="resting"></span>
<main id="main">
${main}
</main>
</body>
</html>
`.html;
}

function renderGroup(name: string, pages: DocsPage[], current: string): Markup {
  return markup`<li><span class="group">${name}</span>
<ul>${pages.map(({ path, title }) =>
    path === current
      ? markup`<li><a href="#top" aria-current="page">${title}</a></li>\n`
      : markup`<li><a href="${path}">${title}</a></li>\n`,
  )}</ul></li>
`;
}
