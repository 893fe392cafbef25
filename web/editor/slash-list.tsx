/** The list of blocks after a slash at the start of a line or after a space. */
import { Extension, type Editor } from '@tiptap/core';
import { Suggestion, type SuggestionProps } from '@tiptap/suggestion';
import { useEffect, useState, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { texts } from '../texts/en.ts';
import { classes } from '../ui/classes.ts';
import { findBlocks, type Block } from './blocks.ts';

export type SlashState = SuggestionProps<Block, Block>;

export interface SlashOptions {
  run(editor: Editor, block: Block): void;
  onChange(state: SlashState | null): void;
  onKey(event: KeyboardEvent): boolean;
}

export const SlashBlocks = Extension.create<SlashOptions>({
  name: 'slashBlocks',
  addOptions: () => ({ run() {}, onChange() {}, onKey: () => false }),
  addProseMirrorPlugins() {
    const { run, onChange, onKey } = this.options;
    return [
      Suggestion<Block, Block>({
        editor: this.editor,
        char: '/',
        items: ({ query }) => findBlocks(query),
        command({ editor, range, props: block }) {
          editor.chain().focus().deleteRange(range).run();
          run(editor, block);
        },
        render: () => ({
          onStart: onChange,
          onUpdate: onChange,
          onExit: () => onChange(null),
          onKeyDown({ event }) {
            if (event.key !== 'Escape') return onKey(event);
            onChange(null);
            return true;
          },
        }),
      }),
    ];
  },
});

interface SlashListProps {
  state: SlashState;
  /** The editor calls this with each key. It returns whether the list has handled the key. */
  keys: RefObject<(event: KeyboardEvent) => boolean>;
}

const ROOM_PX = 340;
const WIDTH_PX = 256;

export function SlashBlockList({ state, keys }: SlashListProps) {
  const [at, setAt] = useState(0);
  const { items } = state;
  useEffect(() => setAt(0), [state.query]);
  useEffect(() => {
    document.querySelector('[data-slash-list] [aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  keys.current = ({ key }) => {
    if (items.length === 0) return false;
    if (key === 'ArrowDown') setAt((at + 1) % items.length);
    else if (key === 'ArrowUp') setAt((at - 1 + items.length) % items.length);
    else if ((key === 'Enter' || key === 'Tab') && items[at]) state.command(items[at]);
    else return false;
    return true;
  };
  const place = state.clientRect?.();
  if (!place || items.length === 0) return null;
  const left = Math.max(8, Math.min(place.left, window.innerWidth - WIDTH_PX - 8));
  const isBelow = place.bottom + ROOM_PX < window.innerHeight || place.top < ROOM_PX;
  const style = isBelow
    ? { left, top: place.bottom + 4 }
    : { left, bottom: window.innerHeight - place.top + 4 };
  return createPortal(
    <ul
      data-slash-list
      role="listbox"
      aria-label={texts.editor.addBlock}
      style={style}
      className="fixed z-60 max-h-80 w-64 animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
    >
      {items.map((block, index) => (
        // The keyboard is handled by the editor; this is for the mouse.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={block.id}
          role="option"
          aria-selected={index === at}
          onMouseMove={() => setAt(index)}
          onMouseDown={(event) => {
            event.preventDefault();
            state.command(block);
          }}
          className={classes(
            'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5',
            index === at && 'bg-hover',
          )}
        >
          <block.icon aria-hidden className="size-4 shrink-0 text-soft" />
          {block.name}
        </li>
      ))}
    </ul>,
    document.body,
  );
}
