import { kept } from './attribute.ts';
import { Picture } from './picture.ts';

/** An image that is a block, with an alignment and a link. */
export const ImageNode = Picture.extend({
  addAttributes() {
    return {
      ...this.parent?.(),
      alignment: kept('alignment', null, (value) => ({ 'data-align': String(value) })),
      href: kept('href'),
    };
  },
});
