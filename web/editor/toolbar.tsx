import type { Editor } from '@tiptap/core';
import {
  Braces,
  Image,
  Link,
  Plus,
  SlidersHorizontal,
  SquareMousePointer,
  type LucideIcon,
} from 'lucide-react';
import { useRef } from 'react';
import { CONTACT_TAGS } from '../../src/features/audience/own-fields/own-fields.ts';
import { editorTexts } from '../texts/en/editor.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Toolbar, ToolbarButton } from '../ui/toolbar.tsx';
import type { Insertion } from './insert-dialog.tsx';
import { BLOCKS } from './blocks.ts';
import { insertTag } from './insertion.ts';
import { BASIC_TOOLS, PAGE_TOOLS, ToolButtons } from './tools.tsx';

const t = editorTexts;
const TOOLS = [...BASIC_TOOLS, ...PAGE_TOOLS];

const INSERTIONS: readonly (readonly [Insertion, LucideIcon, string])[] = [
  ['link', Link, t.link],
  ['image', Image, t.image],
  ['button', SquareMousePointer, t.button],
];

interface EditorToolbarProps {
  editor: Editor;
  variables: readonly string[];
  onInsert(insertion: Insertion): void;
  /** Called where there is no space for the settings beside the text. */
  onSettings(): void;
}

export function EditorToolbar({ editor, variables, onInsert, onSettings }: EditorToolbarProps) {
  const hasInserted = useRef(false);
  const names = [...new Set([...CONTACT_TAGS, ...variables])];
  return (
    <Toolbar
      label={t.toolbar}
      className="sticky top-(--stuck) z-10 flex rounded-t-xl border-b border-line bg-raised p-1.5 max-sm:overflow-x-auto sm:flex-wrap"
    >
      <Menu
        align="start"
        trigger={<ToolbarButton icon={Plus} label={t.addBlock} />}
        onCloseAutoFocus={(event) => event.preventDefault()}
      >
        <div className="grid max-h-[60vh] grid-cols-2 overflow-y-auto">
          {BLOCKS.map((block) => (
            <MenuItem
              key={block.id}
              icon={block.icon}
              // Wait until the menu has closed, so that the focus stays in the text.
              onSelect={() => setTimeout(() => block.run(editor, onInsert))}
            >
              {block.name}
            </MenuItem>
          ))}
        </div>
      </Menu>
      <ToolButtons editor={editor} tools={TOOLS} />
      {INSERTIONS.map(([insertion, icon, name]) => (
        <ToolbarButton key={insertion} icon={icon} label={name} onClick={() => onInsert(insertion)} />
      ))}
      <Menu
        align="start"
        trigger={<ToolbarButton icon={Braces} label={t.variable} />}
        onCloseAutoFocus={(event) => {
          if (!hasInserted.current) return;
          // Keep the focus in the editor, after the inserted block.
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
              insertTag(editor, { id: name, fallback: name === 'firstName' ? t.friend : null });
            }}
          >
            <code className="text-[0.8125rem]">{`{{${name}}}`}</code>
          </MenuItem>
        ))}
      </Menu>
      <ToolbarButton
        icon={SlidersHorizontal}
        label={t.blockSettings}
        className="max-sm:order-first @3xl:hidden"
        onClick={onSettings}
      />
    </Toolbar>
  );
}
