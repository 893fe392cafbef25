import type { Editor } from '@tiptap/core';
import { Braces, Image, Link, SquareMousePointer, type LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { CONTACT_TAGS } from '../../src/mail/tag-names.ts';
import { texts } from '../texts/en.ts';
import { IconButton } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import type { Insertion } from './insert-dialog.tsx';
import { insertText } from './insertion.ts';
import { LETTER_TOOLS, PAGE_TOOLS, ToolButtons } from './tools.tsx';

const t = texts.editor;
const TOOLS = [...LETTER_TOOLS, ...PAGE_TOOLS];

const INSERTIONS: readonly (readonly [Insertion, LucideIcon, string])[] = [
  ['link', Link, t.link],
  ['image', Image, t.image],
  ['button', SquareMousePointer, t.button],
];

interface ToolbarProps {
  editor: Editor;
  variables: readonly string[];
  onInsert(insertion: Insertion): void;
}

export function Toolbar({ editor, variables, onInsert }: ToolbarProps) {
  const hasInserted = useRef(false);
  const names = [...CONTACT_TAGS, ...variables];
  return (
    <div
      role="toolbar"
      aria-label={t.toolbar}
      className="sticky top-12 z-10 flex flex-wrap rounded-t-xl border-b border-line bg-raised p-1.5 lg:top-0"
    >
      <ToolButtons editor={editor} tools={TOOLS} />
      {INSERTIONS.map(([insertion, icon, name]) => (
        <IconButton key={insertion} icon={icon} label={name} onClick={() => onInsert(insertion)} />
      ))}
      <Menu
        align="start"
        trigger={<IconButton icon={Braces} label={t.variable} />}
        onCloseAutoFocus={(event) => {
          if (!hasInserted.current) return;
          // Writing goes on behind what was inserted.
          event.preventDefault();
          hasInserted.current = false;
          editor.commands.focus();
        }}
      >
        {names.map((name) => (
          <MenuItem
            key={name}
            onSelect={() => {
              hasInserted.current = true;
              insertText(editor, tagOf(name));
            }}
          >
            <code className="text-[0.8125rem]">{tagOf(name)}</code>
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}

function tagOf(name: string): string {
  return name === 'firstName' ? t.fallback(name) : `{{${name}}}`;
}
