/**
 * Renders the API documentation from the OpenAPI document. It is one page that needs no script: the URL fragment opens
 * and closes the table of contents. With its script (docs-script.ts), it has a search and forms that send requests.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { introductionChapters, renderChapter, type Chapter } from './introduction.ts';
import { renderMethod, renderOperation, type ListedOperation } from './operation.ts';
import { DOCS_STYLE } from './style.ts';
import { Markup, markup, prose } from '../pages/markup.ts';
import type { OpenApi } from '../openapi/document.ts';
import { PAGE_ICON, PAGE_LOGO, PAGE_STYLE } from '../pages/page-style.ts';

interface Group {
  id: string;
  name: string;
  description: string | undefined;
  operations: ListedOperation[];
}

/** Yields to the event loop after each operation. */
export async function renderDocsPage(openApi: OpenApi): Promise<string> {
  const { info, servers, components } = openApi;
  const serverUrl = servers[0]!.url;
  const apiUrl = `${serverUrl}/v${info.version}`;
  const chapters = introductionChapters(apiUrl);
  const groups = groupOperations(openApi);
  const operations = new Map<ListedOperation, Markup>();
  for (const listed of groups.flatMap((group) => group.operations)) {
    operations.set(listed, renderOperation(listed, serverUrl, components.schemas));
    await yieldToEventLoop();
  }
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<meta name="description" content="${info.description}">
<link rel="icon" href="${PAGE_ICON}">
<style>${new Markup(PAGE_STYLE + DOCS_STYLE)}</style>
<script src="/api/docs.js" defer></script>
</head>
<body id="top">
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="#top">${new Markup(PAGE_LOGO)} ${info.title} API</a> <a href="#contents">Contents</a></header>
${renderContents(info.title, chapters, groups)}
<main id="main">
<h1>${info.title} API</h1>
<p class="lead">${info.summary}. ${info.description}</p>
<dl class="facts">
<dt>Base URL</dt><dd><code>${apiUrl}</code></dd>
<dt>Specification</dt><dd><a href="/api/v1/openapi.json">OpenAPI ${openApi.openapi.slice(0, 3)} document</a></dd>
</dl>
<section class="chapter" id="start">
<h2>Start here</h2>
${chapters.map(renderChapter)}
</section>
${groups.map(
  (group) => markup`<section class="chapter" id="${group.id}">
<h2>${group.name}</h2>
${group.description === undefined ? null : markup`<p>${prose(group.description)}</p>`}
${group.operations.map((listed) => operations.get(listed)!)}
</section>
`,
)}
</main>
</body>
</html>
`;
  return page.html;
}

/** On a small screen the contents cover the page while the fragment is #contents, so every link in them closes them. */
function renderContents(title: string, chapters: Chapter[], groups: Group[]): Markup {
  return markup`<nav class="contents" id="contents" aria-label="Contents">
<p class="top"><a class="brand" href="#top">${new Markup(PAGE_LOGO)} ${title} API</a> <a class="close" href="#resting">Close</a></p>
<ul>
<li><a class="group" href="#start">Start here</a>
<ul>${chapters.map(({ id, title: name }) => markup`<li><a href="#${id}">${name}</a></li>\n`)}</ul></li>
${groups.map(
  ({ id, name, operations }) => markup`<li><a class="group" href="#${id}">${name}</a>
<ul>${operations.map(
    ({ method, operation }) =>
      markup`<li><a href="#${operation.operationId}">${renderMethod(method)} ${operation.summary}</a></li>\n`,
  )}</ul></li>
`,
)}
</ul>
</nav>
<span class="resting" id="resting"></span>`;
}

function groupOperations({ tags, paths }: OpenApi): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return tags.map(({ name, description }) => ({
    id: `group-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}
