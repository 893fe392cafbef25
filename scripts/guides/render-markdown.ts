/** Renders the markdown of one page at /docs. Links to other markdown files become links to their pages. */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { markup, Markup } from '../../src/http/pages/markup.ts';
import { parseBlockInfo } from './block-info.ts';
import type { DocsPage } from './pages.ts';

export interface RenderedPage {
  html: Markup;
  /** The IDs of the headings. */
  ids: Set<string>;
  sections: { id: string; title: string }[];
  /** Links to other pages at /docs, and to headings of this one: `/docs/operating#the-queue`. */
  links: string[];
}

export function renderMarkdown(page: DocsPage, pages: DocsPage[]): RenderedPage {
  const ids = new Set<string>();
  const sections: RenderedPage['sections'] = [];
  const links: string[] = [];
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const id = uniqueId(plainText(tokens), ids);
        if (depth === 2) sections.push({ id, title: plainText(tokens) });
        if (depth === 1) return `<h1>${html}</h1>\n`;
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href, page, pages);
        if (target === null) return text;
        if (target.startsWith('/docs')) links.push(target);
        return markup`<a href="${target}">${new Markup(text)}</a>`.html;
      },
      image: ({ href }) => readPicture(page, href),
      code: ({ text, lang = '' }) => renderBlock(text, lang).html,
      table(token) {
        const html = renderTable(token, (cell) => this.parser.parseInline(cell.tokens));
        tables += 1;
        // A wide table scrolls inside its own box, so that the page does not.
        return `<div class="wide" tabindex="0" role="region" aria-label="Table ${tables}">${html}</div>\n`;
      },
      html: ({ text }) => {
        if (/^<!--[^]*-->\s*$/.test(text)) return '';
        throw new Error(`docs/${page.file} contains HTML: ${text}`);
      },
    },
  });
  const html = new Markup(marked.parse(page.source, { async: false }));
  return { html, ids, sections, links };
}

function renderBlock(text: string, info: string): Markup {
  const { file, isOutput } = info ? parseBlockInfo(info) : { file: null, isOutput: false };
  const caption = file ?? (isOutput ? 'Output' : null);
  const code = markup`<pre><code>${text}</code></pre>\n`;
  return caption ? markup`<figure><figcaption>${caption}</figcaption>${code}</figure>\n` : code;
}

function renderTable({ header, rows }: Tokens.Table, render: (cell: Tokens.TableCell) => string): string {
  const head = header.map((cell) => `<th scope="col">${render(cell)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${render(cell)}</td>`).join('')}</tr>\n`);
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join('')}</tbody></table>`;
}

/** A picture is a part of the page, so that no other file has to be served. It has a title of its own. */
function readPicture(page: DocsPage, href: string): string {
  if (!href.endsWith('.svg')) throw new Error(`docs/${page.file} contains ${href}, which is no SVG.`);
  return readFileSync(posix.join('docs', posix.dirname(page.file), href), 'utf8').trim();
}

/** Returns the URL of a link; null for a file in the repository that has no page. */
function resolveLink(href: string, page: DocsPage, pages: DocsPage[]): string | null {
  if (/^(https?:|mailto:|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const file = path === '' ? page.file : posix.join(posix.dirname(page.file), path);
  const target = pages.find((candidate) => candidate.file === file);
  if (target) return anchor ? `${target.path}#${anchor}` : target.path;
  if (existsSync(posix.join('docs', file))) return null;
  throw new Error(`docs/${page.file} has a link to ${href}, which does not exist.`);
}

/** Returns the ID that GitHub gives to a heading. */
function uniqueId(title: string, taken: Set<string>): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  let id = slug;
  for (let number = 1; taken.has(id); number++) id = `${slug}-${number}`;
  taken.add(id);
  return id;
}

function plainText(tokens: Tokens.Generic[]): string {
  return tokens
    .map((token) => (token.tokens ? plainText(token.tokens) : decode((token.text as string) ?? '')))
    .join('');
}

/** Marked escapes the text of some tokens. */
function decode(text: string): string {
  return text
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
