/** Marks of the editor: bold, links, colours and so on. */
import { readColour, readLink, styled, toFields, type Fields } from './editor-attributes.ts';
import { escapeHtml } from '../entities.ts';

const MAX_MARKS = 20;

/** Applies the marks in order. The link is outermost, so that it stays a single link. */
export function mark(html: string, marks: unknown, linkColour: string | null): string {
  if (!Array.isArray(marks) || html === '') return html;
  let marked = html;
  let href: string | null = null;
  for (const entry of marks.slice(0, MAX_MARKS)) {
    const { type, attrs } = toFields(entry) ?? {};
    const given = toFields(attrs) ?? {};
    if (type === 'link') href ??= readLink(given.href);
    else marked = markOnce(marked, type, given);
  }
  if (href === null) return marked;
  return `<a href="${escapeHtml(href)}"${styled({ color: linkColour })}>${marked}</a>`;
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
