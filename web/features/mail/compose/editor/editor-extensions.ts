import type { Extension } from '@tiptap/core';
import { Placeholder } from '@tiptap/extension-placeholder';
import { StarterKit } from '@tiptap/starter-kit';
import { MarkedTags, type MarkedTagsOptions } from '../../../../editor/merge-tags.ts';
import { KeepNodes } from '../../../../editor/keep-nodes.ts';
import { Picture } from '../../../../editor/nodes/picture.ts';

/** An image in the text, with the ID of its part of the message. */
const MailImage = Picture.extend({
  inline: true,
  group: 'inline',
  addAttributes() {
    return {
      ...this.parent?.(),
      cid: {
        default: null,
        parseHTML: (element) => element.getAttribute('data-cid'),
        renderHTML: ({ cid }) => (cid ? { 'data-cid': cid as string } : {}),
      },
    };
  },
});

export function editorExtensions(
  placeholder: string,
  slash: Extension | null,
  onEdit: () => void,
  marked: MarkedTagsOptions,
) {
  return [
    StarterKit.configure({
      heading: { levels: [1, 2, 3] },
      link: {
        openOnClick: false,
        defaultProtocol: 'https',
        HTMLAttributes: { target: '_blank', rel: 'noopener noreferrer' },
      },
    }),
    MailImage,
    Placeholder.configure({ placeholder }),
    KeepNodes.configure({ onEdit }),
    ...(slash ? [slash] : []),
    MarkedTags.configure(marked),
  ];
}
