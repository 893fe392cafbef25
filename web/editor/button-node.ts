import { mergeAttributes, Node } from '@tiptap/core';

/** A link that looks like a button; the server turns it into one that mail programs show. */
export const ButtonNode = Node.create({
  name: 'button',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({ text: { default: '' }, url: { default: '' } }),
  parseHTML: () => [{ tag: 'a[data-button]' }],
  renderHTML: ({ HTMLAttributes: { text, url, ...rest } }) => [
    'p',
    {},
    [
      'a',
      mergeAttributes(rest, { 'data-button': '', class: 'mail-button', href: url as string }),
      text as string,
    ],
  ],
});
