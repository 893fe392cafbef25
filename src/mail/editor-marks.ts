/** Bold, links, colours and the like: what the editor puts on a piece of text. */
import { readColour, readLink, toFields, type Fields } from './editor-attributes.ts';
import { escapeHtml } from './html-entities.ts';

const MAX_MARKS = 20;

/** The marks of a text in the order given; a link goes around all of them, so that it stays one link. */
export function mark(html: string, marks: unknown): string {
  if (!Array.isArray(marks) || html === '') return html;
  let marked = html;
  let href: string | null = null;
  for (const entry of marks.slice(0, MAX_MARKS)) {
    const { type, attrs } = toFields(entry) ?? {};
    const given = toFields(attrs) ?? {};
    if (type === 'link') href ??= readLink(given.href);
    else marked = markOnce(marked, type, given);
  }
  return href === null ? marked : `<a href="${escapeHtml(href)}">${marked}</a>`;
}

function markOnce(html: string, type: unknown, attrs: Fields): string {
  switch (type) {
    case 'bold':
      return `<strong>${html}</strong>`;
    case 'italic':
      return `<em>${html}</em>`;
    case 'underline':
      return `<u>${html}</u>`;
    case 'strike':
      return `<s>${html}</s>`;
    case 'code':
      return `<code>${html}</code>`;
    case 'subscript':
      return `<sub>${html}</sub>`;
    case 'superscript':
      return `<sup>${html}</sup>`;
    case 'textStyle': {
      const colour = readColour(attrs.color);
      return colour === null ? html : `<span style="color:${colour}">${html}</span>`;
    }
    case 'highlight': {
      const colour = readColour(attrs.color) ?? '#fff3a3';
      return `<span style="background-color:${colour}">${html}</span>`;
    }
    default:
      return html;
  }
}
