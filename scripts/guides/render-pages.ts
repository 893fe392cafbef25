/** Renders all pages at /docs and checks the links between them. */
import { marked } from 'marked';
import { markup, Markup, prose } from '../../src/http/pages/markup.ts';
import { renderFrame } from './page-frame.ts';
import { readDocsPages, type DocsGroup, type DocsPage } from './pages.ts';
import { renderMarkdown, type RenderedPage } from './render-markdown.ts';

/** Returns the pages by their paths. */
export function renderDocsPages(groups: DocsGroup[] = readDocsPages()): Map<string, string> {
  const pages = groups.flatMap((group) => group.pages);
  const rendered = new Map(pages.map((page) => [page, renderMarkdown(page, pages)]));
  const broken = findBrokenLinks(rendered);
  if (broken.length > 0) throw new Error(`The docs have broken links:\n${broken.join('\n')}`);
  const html = new Map<string, string>([['/docs', renderStart(groups)]]);
  for (const [index, page] of pages.entries()) {
    const { html: text, sections } = rendered.get(page)!;
    const places = sections.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`);
    const main = markup`${withPlaces(text, places)}${renderNext(pages[index + 1])}`;
    html.set(page.path, renderFrame(page.title, firstParagraph(page.source), page.path, groups, main));
  }
  return html;
}

function findBrokenLinks(rendered: Map<DocsPage, RenderedPage>): string[] {
  const known = new Set(['/docs']);
  for (const [{ path }, { ids }] of rendered) {
    known.add(path);
    for (const id of ids) known.add(`${path}#${id}`);
  }
  return [...rendered].flatMap(([{ file }, { links }]) =>
    links.filter((link) => !known.has(link)).map((link) => `docs/${file}: ${link}`),
  );
}

/** Inserts the list of sections below the title and the first paragraphs. */
function withPlaces({ html }: Markup, places: Markup[]): Markup {
  if (places.length < 4) return new Markup(html);
  const at = html.indexOf('<h2');
  const list = markup`<details class="on-page"><summary>On this page</summary><ul>${places}</ul></details>\n`;
  return new Markup(html.slice(0, at) + list.html + html.slice(at));
}

function renderNext(next: DocsPage | undefined): Markup | null {
  return next ? markup`<p class="next">Next: <a href="${next.path}">${next.title}</a></p>` : null;
}

function renderStart(groups: DocsGroup[]): string {
  const intro =
    'Posthorn is an email platform that you run yourself. The guides lead through its main tasks.';
  const main = markup`<h1>Posthorn docs</h1>
<p class="lead">${intro} Every request of the API is on the <a href="/api/docs">API page</a>.</p>
${groups.map(
  ({ name, pages }) => markup`<h2>${name}</h2>
<ul class="cards">${pages.map(
    ({ path, title, source }) =>
      markup`<li><a href="${path}"><b>${title}</b><span>${prose(firstSentence(source))}</span></a></li>\n`,
  )}</ul>
`,
)}`;
  return renderFrame('Docs', intro, '/docs', groups, main);
}

/** Returns the text of the first paragraph, without any markup except backticks. */
function firstParagraph(source: string): string {
  const paragraph = marked.lexer(source).find(({ type }) => type === 'paragraph');
  const text = paragraph && 'text' in paragraph ? String(paragraph.text) : '';
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ');
}

function firstSentence(source: string): string {
  return /^.*?[.:](?=\s|$)/.exec(firstParagraph(source))?.[0].replace(/:$/, '.') ?? '';
}
