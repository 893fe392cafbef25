import { Node } from '@tiptap/core';

export const FONTS = ['sans', 'system', 'verdana', 'trebuchet', 'serif', 'mono'] as const;

/** The document has the colours and the font of the email (src/mail/html/editor/editor-frame.ts). */
export const EmailDocument = Node.create({
  name: 'doc',
  topNode: true,
  content: 'block+',
  addAttributes: () => ({
    backgroundColor: { default: null },
    contentColor: { default: null },
    textColor: { default: null },
    linkColor: { default: null },
    buttonColor: { default: null },
    fontFamily: { default: null },
  }),
});
