/** The nodes and marks of campaigns, templates and confirmation emails. */
import { getSchema } from '@tiptap/core';
import { Placeholder } from '@tiptap/extension-placeholder';
import { TableKit } from '@tiptap/extension-table';
import { TextAlign } from '@tiptap/extension-text-align';
import { StarterKit } from '@tiptap/starter-kit';
import { editorTexts } from '../texts/en/editor.ts';
import { ButtonNode } from './button-node.ts';
import { DragHandle } from './drag-handle.ts';
import { KeepNodes } from './keep-nodes.ts';
import { Uploads } from './media/uploads.ts';
import { MarkedTags, type IsUnknown } from './merge-tags.ts';
import { BlockSettings } from './nodes/block-settings.ts';
import { ImageNode } from './nodes/image-node.ts';
import { ColumnNode, ColumnsNode, SectionNode } from './nodes/layout-nodes.ts';
import { EmailDocument } from './nodes/email-document.ts';
import { VariableNode } from './nodes/variable-node.ts';
import { FooterNode, HtmlNode, SocialNode, SpacerNode } from './nodes/whole-blocks.ts';

const t = editorTexts;

export interface ExtensionOptions {
  isUnknown: IsUnknown;
  /** Opens the settings of the selected node. */
  onEdit(): void;
}

/** More than anyone undoes. The default of 100 is less than an hour of writing. */
const UNDO_STEPS = 5_000;

/** Nodes that are edited in the settings. */
const WITH_FIELDS = ['image', 'button', 'variable', 'spacer', 'social', 'html', 'footer', 'horizontalRule'];

export function editorExtensions({ isUnknown, onEdit }: ExtensionOptions) {
  return [
    StarterKit.configure({
      document: false,
      heading: { levels: [1, 2, 3] },
      link: { openOnClick: false, defaultProtocol: 'https' },
      codeBlock: false,
      undoRedo: { depth: UNDO_STEPS },
    }),
    EmailDocument,
    ImageNode,
    TextAlign.configure({ types: ['heading', 'paragraph'] }),
    TableKit.configure({ table: { resizable: false } }),
    Placeholder.configure({ placeholder: t.placeholder }),
    ButtonNode,
    ColumnsNode,
    ColumnNode,
    SectionNode,
    SpacerNode,
    SocialNode,
    FooterNode,
    HtmlNode,
    VariableNode,
    BlockSettings,
    KeepNodes.configure({ names: WITH_FIELDS, onEdit: (_name, by) => by === 'key' && onEdit() }),
    MarkedTags.configure({ isUnknown, title: t.unknownTag }),
    DragHandle,
    Uploads,
  ];
}

/** The schema of a document, without an editor. */
export const EDITOR_SCHEMA = getSchema(editorExtensions({ isUnknown: () => false, onEdit() {} }));
