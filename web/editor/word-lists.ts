/**
 * Word puts lists on the clipboard as paragraphs with a bullet or number as text. This converts them to lists. Levels
 * below the first become items of the same list.
 */
import type { PasteStep } from './pasted-html.ts';

const IS_ITEM = /mso-list:\s*l\d/i;
const IS_MARKER = /mso-list:\s*ignore/i;

export const WORD_LISTS: PasteStep = { applies: /mso-list/, change: makeWordLists };

function makeWordLists(page: Document): void {
  let list: HTMLElement | null = null;
  for (const paragraph of page.querySelectorAll<HTMLElement>('p, h1, h2, h3, h4, h5, h6')) {
    if (!IS_ITEM.test(paragraph.getAttribute('style') ?? '')) continue;
    const name = takeMarker(paragraph) ? 'ol' : 'ul';
    // Comments and spaces may be between the paragraphs of a list.
    if (list === null || list.localName !== name || list.nextElementSibling !== paragraph) {
      list = page.createElement(name);
      paragraph.before(list);
    }
    const item = page.createElement('li');
    list.append(item);
    item.append(paragraph);
  }
}

/** Removes the bullet or number, and returns whether it was a number. */
function takeMarker(paragraph: HTMLElement): boolean {
  const markers = [...paragraph.querySelectorAll<HTMLElement>('[style]')].filter((part) =>
    IS_MARKER.test(part.getAttribute('style') ?? ''),
  );
  const text = markers.map((marker) => marker.textContent).join('');
  for (const marker of markers) marker.remove();
  return /^\s*(?:\d+|[a-z]{1,3})[.)]/i.test(text);
}
