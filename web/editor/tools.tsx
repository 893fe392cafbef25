/** The formatting buttons of the editors, for campaigns and for personal mail. They must be inside a `Toolbar`. */
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import {
  AlignCenter,
  AlignLeft,
  AlignRight,
  Bold,
  Heading1,
  Heading2,
  Italic,
  List,
  ListOrdered,
  Minus,
  Quote,
  Redo2,
  Strikethrough,
  Underline,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { editorTexts } from '../texts/en/editor.ts';
import { classes } from '../ui/classes.ts';
import { ToolbarButton } from '../ui/toolbar.tsx';
import { insertBlock } from './insertion.ts';

const t = editorTexts;

interface Tool {
  icon: LucideIcon;
  name: string;
  /** Null for a tool that has no "on" state. */
  isOn: ((editor: Editor) => boolean) | null;
  run(editor: Editor): void;
}

/** The tools of every editor. */
export const BASIC_TOOLS: readonly Tool[] = [
  tool(Bold, t.bold, 'bold', (editor) => editor.chain().focus().toggleBold().run()),
  tool(Italic, t.italic, 'italic', (editor) => editor.chain().focus().toggleItalic().run()),
  tool(Underline, t.underline, 'underline', (editor) => editor.chain().focus().toggleUnderline().run()),
  tool(Strikethrough, t.strike, 'strike', (editor) => editor.chain().focus().toggleStrike().run()),
  tool(List, t.bulletList, 'bulletList', (editor) => editor.chain().focus().toggleBulletList().run()),
  tool(ListOrdered, t.orderedList, 'orderedList', (editor) =>
    editor.chain().focus().toggleOrderedList().run(),
  ),
  tool(Quote, t.quote, 'blockquote', (editor) => editor.chain().focus().toggleBlockquote().run()),
];

/** The additional tools of the campaign editor. */
export const PAGE_TOOLS: readonly Tool[] = [
  headingTool(Heading1, t.heading, 1),
  headingTool(Heading2, t.subheading, 2),
  alignTool(AlignLeft, t.alignLeft, 'left'),
  alignTool(AlignCenter, t.alignCenter, 'center'),
  alignTool(AlignRight, t.alignRight, 'right'),
  {
    icon: Minus,
    name: t.divider,
    isOn: null,
    run: (editor) => insertBlock(editor, { type: 'horizontalRule' }),
  },
  { icon: Undo2, name: t.undo, isOn: null, run: (editor) => editor.chain().focus().undo().run() },
  { icon: Redo2, name: t.redo, isOn: null, run: (editor) => editor.chain().focus().redo().run() },
];

export function ToolButtons({ editor, tools }: { editor: Editor; tools: readonly Tool[] }) {
  const on = useEditorState({
    editor,
    selector: ({ editor: now }) => tools.map(({ isOn }) => isOn?.(now) ?? null),
  });
  return tools.map(({ icon, name, run }, index) => (
    <ToolbarButton
      key={name}
      icon={icon}
      label={name}
      aria-pressed={on[index] ?? undefined}
      className={classes(on[index] && 'bg-hover text-ink')}
      // Keep the selection of the text.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => run(editor)}
    />
  ));
}

function tool(icon: LucideIcon, name: string, mark: string, run: (editor: Editor) => void): Tool {
  return { icon, name, run, isOn: (editor) => editor.isActive(mark) };
}

function headingTool(icon: LucideIcon, name: string, level: 1 | 2): Tool {
  return {
    icon,
    name,
    isOn: (editor) => editor.isActive('heading', { level }),
    run: (editor) => editor.chain().focus().toggleHeading({ level }).run(),
  };
}

function alignTool(icon: LucideIcon, name: string, textAlign: string): Tool {
  return {
    icon,
    name,
    isOn: (editor) => editor.isActive({ textAlign }),
    run: (editor) => editor.chain().focus().setTextAlign(textAlign).run(),
  };
}
