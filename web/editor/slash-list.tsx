/** The list that a slash opens in an editor, at the start of a line or after a space. */
import { Extension, type Editor } from '@tiptap/core';
import { exitSuggestion, Suggestion, type SuggestionProps } from '@tiptap/suggestion';
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { classes } from '../ui/classes.ts';

type SlashState<Item> = SuggestionProps<Item, Item>;

interface Slash<Item> {
  extension: Extension;
  /** Null while the list is closed. */
  state: SlashState<Item> | null;
  /** The editor calls this with each key. It returns whether the list has handled the key. */
  keys: RefObject<(event: KeyboardEvent) => boolean>;
}

interface SlashSource<Item> {
  /** Returns the items that match the text after the slash. */
  find(query: string): readonly Item[] | Promise<readonly Item[]>;
  /** The slash and the text after it have already been removed. */
  choose(editor: Editor, item: Item): void;
}

/** `extension` is for the editor, the rest is for a `SlashList`. */
export function useSlash<Item>(source: SlashSource<Item>): Slash<Item> {
  const [state, setState] = useState<SlashState<Item> | null>(null);
  const keys = useRef<(event: KeyboardEvent) => boolean>(() => false);
  // The editor keeps the functions that it was created with. They read the current source from here.
  const latest = useRef(source);
  latest.current = source;
  const [extension] = useState(() =>
    Extension.create({
      name: 'slashList',
      addProseMirrorPlugins() {
        const suggestion = Suggestion<Item, Item>({
          editor: this.editor,
          char: '/',
          // The names of blocks and replies have spaces.
          allowSpaces: true,
          items: async ({ query }) => (isSearch(query) ? [...(await latest.current.find(query))] : []),
          command({ editor, range, props: item }) {
            editor.chain().focus().deleteRange(range).run();
            latest.current.choose(editor, item);
          },
          render: () => ({
            onStart: setState,
            onUpdate: setState,
            onExit: () => setState(null),
            onKeyDown: ({ event }) => keys.current(event),
          }),
        });
        return [suggestion];
      },
    }),
  );
  return { extension, state, keys };
}

/** A slash between two words, as in "and / or", is text. */
function isSearch(query: string): boolean {
  return !query.startsWith(' ');
}

/** No item matches: the user continues a sentence after a slash. */
function isSentence(query: string): boolean {
  return query.includes(' ');
}

interface SlashListProps<Item> {
  slash: Slash<Item>;
  label: string;
  keyOf(item: Item): string;
  /** Shown when nothing matches. Without it, the list is hidden then. */
  empty?: string;
  children(item: Item): ReactNode;
}

export function SlashList<Item>({ slash, ...props }: SlashListProps<Item>) {
  if (!slash.state || (slash.state.items.length === 0 && (!props.empty || isSentence(slash.state.query)))) {
    slash.keys.current = () => false;
    return null;
  }
  return <OpenList {...props} state={slash.state} keys={slash.keys} />;
}

type OpenListProps<Item> = Omit<SlashListProps<Item>, 'slash'> & {
  state: SlashState<Item>;
  keys: Slash<Item>['keys'];
};

function OpenList<Item>({ state, keys, label, keyOf, empty, children }: OpenListProps<Item>) {
  const [at, setAt] = useState(0);
  const { items } = state;
  useEffect(() => setAt(0), [state.query]);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const { view } = state.editor;
  useEffect(() => {
    // Handle the key before a dialog around the editor does. The dialog would close, and everything typed in it would
    // be lost.
    const closeFirst = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      exitSuggestion(view);
    };
    window.addEventListener('keydown', closeFirst, true);
    return () => window.removeEventListener('keydown', closeFirst, true);
  }, [view]);
  keys.current = ({ key }) => {
    if (items.length === 0) return false;
    if (key === 'ArrowDown') setAt((at + 1) % items.length);
    else if (key === 'ArrowUp') setAt((at - 1 + items.length) % items.length);
    else if ((key === 'Enter' || key === 'Tab') && items[at]) state.command(items[at]);
    else return false;
    return true;
  };
  const place = state.clientRect?.();
  if (!place) return null;
  return createPortal(
    <div
      style={placeBeside(place)}
      className="fixed z-60 max-h-80 w-64 animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
    >
      <ul ref={list} role="listbox" aria-label={label}>
        {items.map((item, index) => (
          // The keyboard is handled by the editor; this is for the mouse.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={keyOf(item)}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onMouseDown={(event) => {
              event.preventDefault();
              state.command(item);
            }}
            className={classes(
              'flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 pointer-coarse:py-2.5',
              index === at && 'bg-hover',
            )}
          >
            {children(item)}
          </li>
        ))}
      </ul>
      {items.length === 0 && <p className="px-2.5 py-1.5 text-soft">{empty}</p>}
    </div>,
    document.body,
  );
}

const ROOM_PX = 340;
const WIDTH_PX = 256;

/** Places the list below the slash, or above it where there is more space. */
function placeBeside(place: DOMRect) {
  const left = Math.max(8, Math.min(place.left, window.innerWidth - WIDTH_PX - 8));
  const isBelow = place.bottom + ROOM_PX < window.innerHeight || place.top < ROOM_PX;
  return isBelow ? { left, top: place.bottom + 4 } : { left, bottom: window.innerHeight - place.top + 4 };
}
