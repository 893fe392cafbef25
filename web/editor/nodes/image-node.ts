import { Image } from '@tiptap/extension-image';
import { kept } from './attribute.ts';

/** An image that is a block, with an alignment and a link. */
export const ImageNode = Image.extend({
  draggable: true,
  addAttributes() {
    return {
      ...this.parent?.(),
      alignment: kept('alignment', null, (value) => ({ 'data-align': String(value) })),
      href: kept('href'),
      // Documents from the API can contain images of other editors.
      title: { default: null },
    };
  },
}).configure({ allowBase64: true });
