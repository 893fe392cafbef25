import type { SuggestionProps } from '@tiptap/suggestion';
import { useEffect, useState, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import type { SavedReply } from '../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';

export type SlashState = SuggestionProps<SavedReply, SavedReply>;

interface SlashListProps {
  state: SlashState;
  /** The editor calls this with each key. It returns whether the list has handled the key. */
  keys: RefObject<(event: KeyboardEvent) => boolean>;
  empty: string;
}

const MOST_SHOWN = 8;
const ROOM_PX = 280;

/** The saved replies that match the text after the slash. */
export function SlashList({ state, keys, empty }: SlashListProps) {
  const [at, setAt] = useState(0);
  const items = state.items.slice(0, MOST_SHOWN);
  useEffect(() => setAt(0), [state.query]);
  keys.current = ({ key }) => {
    if (key === 'ArrowDown') setAt((at + 1) % Math.max(1, items.length));
    else if (key === 'ArrowUp') setAt((at - 1 + items.length) % Math.max(1, items.length));
    else if ((key === 'Enter' || key === 'Tab') && items[at]) state.command(items[at]);
    else return false;
    return true;
  };
  const place = state.clientRect?.();
  if (!place) return null;
  const isBelow = place.bottom + ROOM_PX < window.innerHeight;
  const left = Math.min(place.left, window.innerWidth - 300);
  const style = isBelow
    ? { left, top: place.bottom + 4 }
    : { left, bottom: window.innerHeight - place.top + 4 };
  return createPortal(
    <div
      style={style}
      className="fixed z-60 w-72 max-w-[90vw] animate-rise rounded-lg border border-line bg-raised p-1 shadow-float"
    >
      <ul role="listbox" aria-label={mailTexts.replies.title}>
        {items.map((reply, index) => (
          // The keyboard is handled by the editor; this is for the mouse.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={reply.id}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onMouseDown={(event) => {
              event.preventDefault();
              state.command(reply);
            }}
            className={classes(
              'cursor-pointer truncate rounded-md px-2.5 py-1.5',
              index === at && 'bg-hover',
            )}
          >
            {reply.name}
          </li>
        ))}
      </ul>
      {items.length === 0 && <p className="px-2.5 py-1.5 text-soft">{empty}</p>}
    </div>,
    document.body,
  );
}
