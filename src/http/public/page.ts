/** The layout of the public pages: a card with one question, without scripts. */
import { createHash } from 'node:crypto';
import { directionOfLanguage, type TextDirection } from '../../mail/html/text-direction.ts';
import { Markup, markup } from '../pages/markup.ts';
import { PAGE_ICON, PAGE_STYLE } from '../pages/page-style.ts';
import { PLAIN, type Look } from './look.ts';
import type { Language } from './texts.ts';

const STYLE = `${PAGE_STYLE}
body { display: grid; min-height: 100vh; min-height: 100dvh; place-content: center; padding: 1.5rem; }
main { width: min(30rem, 100vw - 3rem); padding: 2rem; border: 1px solid var(--line); border-radius: 14px; background: var(--panel); }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; overflow-wrap: anywhere; }
p { margin: 0 0 1.25rem; overflow-wrap: anywhere; }
form { display: grid; gap: .75rem; margin: 0; }
form + p, .more { margin: 1.25rem 0 0; }
button {
  width: 100%; padding: .7rem 1rem; border: 1px solid transparent; border-radius: 8px; background: var(--horn); color: #23211d;
  font: inherit; font-weight: 600; cursor: pointer; overflow-wrap: anywhere;
}
button:hover { text-decoration: underline; }
button.second { border-color: var(--line); background: transparent; color: var(--ink); font-weight: 500; }
fieldset { display: grid; gap: .25rem; margin: 0; padding: 0; border: 0; }
label { display: grid; grid-template-columns: auto 1fr; gap: .1rem .7rem; padding: .5rem 0; cursor: pointer; overflow-wrap: anywhere; }
form.reasons { margin-bottom: 1.5rem; }
legend { margin-bottom: .25rem; padding: 0; font-weight: 600; }
label span { grid-column: 2; color: var(--soft); font-size: .9rem; }
main > footer { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; white-space: pre-line; overflow-wrap: anywhere; }
input { width: 1.15rem; height: 1.15rem; margin: .2rem 0 0; accent-color: var(--brass); }
`;

interface PageRules {
  look?: Look;
  formAction?: string;
  frameAncestors?: string;
  style?: string;
}

export function publicHeaders({
  look = PLAIN,
  formAction = "'self'",
  frameAncestors = "'none'",
  style: base = STYLE,
}: PageRules): Record<string, string> {
  const hashes = [base, ...look.styles].map(
    (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src ${hashes.join(' ')}; img-src ${['data:', ...(look.logo ? [look.logo.origin] : [])].join(' ')}; base-uri 'none'; form-action ${formAction}; frame-ancestors ${frameAncestors}`,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  };
}

export const PUBLIC_HEADERS = publicHeaders({});

export interface Document {
  title: string;
  look: Look;
  /** The content of the body. */
  body: Markup;
  head?: Markup | null;
  /** The direction of the sender's own words, if the page consists of them. Otherwise that of the language counts. */
  direction?: TextDirection | null;
  /** The base style of the page. Without it, the page is a card. */
  style?: string;
}

/** `look` and `style` must be the same as in the headers. */
export function renderDocument(
  language: Language,
  { title, look, body, head = null, style = STYLE, direction }: Document,
): string {
  const isTurned = (direction ?? directionOfLanguage(language)) === 'rtl';
  return markup`<!doctype html>
<html lang="${language}"${isTurned ? markup` dir="rtl"` : null}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${PAGE_ICON}">
${[style, ...look.styles].map((each) => new Markup(`<style>${each}</style>`))}
${head}
</head>
<body>
${body}
</body>
</html>
`.html;
}

/** `look` must be the same as in the headers. */
export function renderPage(
  language: Language,
  title: string,
  body: Markup,
  look: Look = PLAIN,
  { head = null, direction = null }: Pick<Document, 'head' | 'direction'> = {},
): string {
  const card = markup`<main>
${look.logo && markup`<img class="logo" src="${look.logo.url}" alt="">`}
<h1 id="title" dir="auto">${title}</h1>
${body}
${look.address && markup`<footer>${look.address}</footer>`}
</main>`;
  return renderDocument(language, { title, look, body: card, head, direction });
}
