import { mergeAttributes, Node } from '@tiptap/core';

/** A link that looks like a button; the server turns it into one that mail programs show. */
export const ButtonNode = Node.create({
  name: 'button',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    text: { default: '', parseHTML: (element) => element.textContent },
    url: { default: '', parseHTML: (element) => linkOf(element)?.getAttribute('href') ?? '' },
  }),
  // Before the link of a text, so that a button which is cut and pasted is still one.
  parseHTML: () => [
    { tag: 'p[data-button]', priority: 60 },
    { tag: 'a[data-button]', priority: 60 },
  ],
  renderHTML: ({ HTMLAttributes: { text, url, ...rest } }) => [
    'p',
    { 'data-button': '' },
    ['a', mergeAttributes(rest, { class: 'mail-button', href: url as string }), text as string],
  ],
  /** In the editor it is no link: nobody leaves the page by it, also not with the keyboard. */
  addNodeView: () => (props) => {
    const dom = document.createElement('p');
    const face = document.createElement('span');
    face.className = 'mail-button';
    face.textContent = props.node.attrs['text'] as string;
    face.title = props.node.attrs['url'] as string;
    dom.append(face);
    return { dom };
  },
});

function linkOf(element: HTMLElement): Element | null {
  return element.matches('a') ? element : element.querySelector('a');
}
