import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import {
  AlignCenter,
  AlignLeft,
  AlignRight,
  Bold,
  Braces,
  Heading1,
  Heading2,
  Image,
  Italic,
  Link,
  List,
  ListOrdered,
  Minus,
  Quote,
  Redo2,
  SquareMousePointer,
  Strikethrough,
  Underline,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { InsertDialog, type Insertion } from './insert-dialog.tsx';

const t = texts.editor;

interface Tool {
  icon: LucideIcon;
  name: string;
  /** Null: it does something and is never "on". */
  isOn: ((editor: Editor) => boolean) | null;
  run(editor: Editor): void;
}

const TOOLS: readonly Tool[] = [
  tool(Bold, t.bold, 'bold', (editor) => editor.chain().focus().toggleBold().run()),
  tool(Italic, t.italic, 'italic', (editor) => editor.chain().focus().toggleItalic().run()),
  tool(Underline, t.underline, 'underline', (editor) => editor.chain().focus().toggleUnderline().run()),
  tool(Strikethrough, t.strike, 'strike', (editor) => editor.chain().focus().toggleStrike().run()),
  headingTool(Heading1, t.heading, 1),
  headingTool(Heading2, t.subheading, 2),
  tool(List, t.bulletList, 'bulletList', (editor) => editor.chain().focus().toggleBulletList().run()),
  tool(ListOrdered, t.orderedList, 'orderedList', (editor) =>
    editor.chain().focus().toggleOrderedList().run(),
  ),
  tool(Quote, t.quote, 'blockquote', (editor) => editor.chain().focus().toggleBlockquote().run()),
  alignTool(AlignLeft, t.alignLeft, 'left'),
  alignTool(AlignCenter, t.alignCenter, 'center'),
  alignTool(AlignRight, t.alignRight, 'right'),
  {
    icon: Minus,
    name: t.divider,
    isOn: null,
    run: (editor) => editor.chain().focus().setHorizontalRule().run(),
  },
  { icon: Undo2, name: t.undo, isOn: null, run: (editor) => editor.chain().focus().undo().run() },
  { icon: Redo2, name: t.redo, isOn: null, run: (editor) => editor.chain().focus().redo().run() },
];

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

const INSERTIONS: readonly (readonly [Insertion, LucideIcon, string])[] = [
  ['link', Link, t.link],
  ['image', Image, t.image],
  ['button', SquareMousePointer, t.button],
];

export function Toolbar({ editor, variables }: { editor: Editor; variables: readonly string[] }) {
  const [inserting, setInserting] = useState<Insertion | null>(null);
  const on = useEditorState({
    editor,
    selector: ({ editor: now }) => TOOLS.map(({ isOn }) => isOn?.(now) ?? null),
  });
  const names = ['firstName', 'lastName', 'email', ...variables];
  return (
    <div
      role="toolbar"
      aria-label={t.toolbar}
      className="sticky top-12 z-10 flex flex-wrap rounded-t-xl border-b border-line bg-raised p-1.5 lg:top-0"
    >
      {TOOLS.map(({ icon, name, run }, index) => (
        <IconButton
          key={name}
          icon={icon}
          label={name}
          aria-pressed={on[index] ?? undefined}
          className={classes(on[index] && 'bg-hover text-ink')}
          onClick={() => run(editor)}
        />
      ))}
      {INSERTIONS.map(([insertion, icon, name]) => (
        <IconButton key={insertion} icon={icon} label={name} onClick={() => setInserting(insertion)} />
      ))}
      <Menu align="start" trigger={<IconButton icon={Braces} label={t.variable} />}>
        {names.map((name) => (
          <MenuItem key={name} onSelect={() => editor.chain().focus().insertContent(tagOf(name)).run()}>
            <code className="text-[0.8125rem]">{tagOf(name)}</code>
          </MenuItem>
        ))}
      </Menu>
      {inserting && <InsertDialog insertion={inserting} editor={editor} onClose={() => setInserting(null)} />}
    </div>
  );
}

function tagOf(name: string): string {
  return name === 'firstName' ? t.fallback(name) : `{{${name}}}`;
}
