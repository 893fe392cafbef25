import { mergeAttributes, Node } from '@tiptap/core';
import { findTags } from './merge-tags.ts';
import { asText, kept } from './nodes/attribute.ts';
import { asColour, textOn } from './nodes/block-settings.ts';

/** A link that looks like a button. The server renders it so that email apps show it. */
export const ButtonNode = Node.create({
  name: 'button',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    text: { default: '', parseHTML: (element) => element.textContent },
    url: { default: '', parseHTML: (element) => linkOf(element)?.getAttribute('href') ?? '' },
    alignment: kept('alignment'),
    buttonColor: kept('buttonColor'),
    textColor: kept('textColor'),
    borderRadius: kept('borderRadius'),
    wide: kept('wide', false),
  }),
  // Checked before text links, so that a button that is cut and pasted stays a button.
  parseHTML: () => [
    { tag: 'p[data-button]', priority: 60 },
    { tag: 'a[data-button]', priority: 60 },
  ],
  renderHTML: ({ HTMLAttributes: { text, url, ...rest } }) => [
    'p',
    mergeAttributes(rest, { 'data-button': '' }),
    ['a', { class: 'mail-button', href: url as string }, text as string],
  ],
  /** In the editor it is not a link, so that neither a click nor a key leaves the page. */
  addNodeView: () => (props) => {
    const attrs = props.node.attrs as Record<string, unknown>;
    const { text, url, alignment, buttonColor, textColor, borderRadius, wide } = attrs;
    const dom = document.createElement('p');
    if (attrs['padding']) dom.style.padding = `${Number(attrs['padding']) || 0}px`;
    dom.toggleAttribute('data-hide-on-phone', attrs['hideOnPhone'] === true);
    dom.style.textAlign = asText(alignment);
    const face = document.createElement('span');
    face.className = 'mail-button';
    face.append(...withChips(asText(text)));
    face.title = asText(url);
    if (buttonColor) face.style.backgroundColor = asColour(buttonColor);
    if (textColor || buttonColor) face.style.color = textColor ? asColour(textColor) : textOn(buttonColor);
    if (borderRadius !== null) face.style.borderRadius = `${Number(borderRadius) || 0}px`;
    if (wide) face.dataset['wide'] = '';
    dom.append(face);
    return { dom };
  },
});

function linkOf(element: HTMLElement): Element | null {
  return element.matches('a') ? element : element.querySelector('a');
}

/** Returns the text with its merge tags as chips. */
function withChips(text: string): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let from = 0;
  for (const { name, start, end } of findTags(text)) {
    const chip = document.createElement('span');
    chip.className = 'mail-tag';
    chip.title = text.slice(start, end);
    chip.textContent = name;
    parts.push(text.slice(from, start), chip);
    from = end;
  }
  return [...parts, text.slice(from)];
}
