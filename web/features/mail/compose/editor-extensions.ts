import { Extension } from '@tiptap/core';
import { Image } from '@tiptap/extension-image';
import { Placeholder } from '@tiptap/extension-placeholder';
import { StarterKit } from '@tiptap/starter-kit';
import { Suggestion, type SuggestionOptions } from '@tiptap/suggestion';
import { MarkedTags, type MarkedTagsOptions } from '../../../editor/merge-tags.ts';
import type { SavedReply } from '../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { KeepNodes } from '../../../editor/keep-nodes.ts';

export type SlashOptions = Omit<SuggestionOptions<SavedReply, SavedReply>, 'editor'>;

/** An image with the id of its part of the mail. */
const MailImage = Image.extend({
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

const SlashMenu = Extension.create<{ slash: SlashOptions | null }>({
  name: 'savedReplies',
  addOptions: () => ({ slash: null }),
  addProseMirrorPlugins() {
    return this.options.slash ? [Suggestion({ editor: this.editor, ...this.options.slash })] : [];
  },
});

export function editorExtensions(
  placeholder: string,
  slash: SlashOptions | null,
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
    MailImage.configure({ inline: true, allowBase64: true }),
    Placeholder.configure({ placeholder }),
    KeepNodes.configure({ onEdit }),
    SlashMenu.configure({ slash }),
    MarkedTags.configure(marked),
  ];
}
