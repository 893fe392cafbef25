import type { Editor } from '@tiptap/core';
import { Braces, Image, Link, SquareMousePointer, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { texts } from '../texts/en.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { InsertDialog, type Insertion } from './insert-dialog.tsx';
import { LETTER_TOOLS, PAGE_TOOLS, ToolButtons } from './tools.tsx';

const t = texts.editor;
const TOOLS = [...LETTER_TOOLS, ...PAGE_TOOLS];

const INSERTIONS: readonly (readonly [Insertion, LucideIcon, string])[] = [
  ['link', Link, t.link],
  ['image', Image, t.image],
  ['button', SquareMousePointer, t.button],
];

export function Toolbar({ editor, variables }: { editor: Editor; variables: readonly string[] }) {
  const [inserting, setInserting] = useState<Insertion | null>(null);
  const names = ['firstName', 'lastName', 'email', ...variables];
  return (
    <div
      role="toolbar"
      aria-label={t.toolbar}
      className="sticky top-12 z-10 flex flex-wrap rounded-t-xl border-b border-line bg-raised p-1.5 lg:top-0"
    >
      <ToolButtons editor={editor} tools={TOOLS} />
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
