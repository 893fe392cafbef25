/**
 * Suggestions below a field while the user types. The field keeps the focus and the keyboard; the mouse can
 * choose.
 */
import type { InputHTMLAttributes, ReactNode } from 'react';
import { classes } from './classes.ts';

interface SuggestionsProps<Item> {
  /** The ID of the field. */
  id: string;
  label: string;
  items: readonly Item[];
  /** The index of the suggestion that Enter takes. */
  at: number;
  setAt(at: number): void;
  choose(item: Item): void;
  keyOf(item: Item): string;
  /** The classes for position and width. */
  className: string;
  children(item: Item): ReactNode;
}

export function Suggestions<Item>(props: SuggestionsProps<Item>) {
  const { id, label, items, at, setAt, choose, keyOf, className, children } = props;
  return (
    <ul
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className={classes(
        'absolute top-full z-20 rounded-lg border border-line bg-raised p-1 shadow-float',
        className,
        items.length === 0 && 'hidden',
      )}
    >
      {items.map((item, index) => (
        // The keyboard is handled by the field; this is for the mouse, before the field loses the focus.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={keyOf(item)}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseMove={() => setAt(index)}
          onMouseDown={(event) => {
            event.preventDefault();
            choose(item);
          }}
          className={classes(
            'flex cursor-pointer items-baseline gap-2 rounded-md px-2.5 py-1 pointer-coarse:py-2.5',
            index === at && 'bg-hover',
          )}
        >
          {children(item)}
        </li>
      ))}
    </ul>
  );
}

/** The ARIA attributes of the field. */
export function comboboxOf(id: string, items: readonly unknown[], at: number) {
  return {
    role: 'combobox',
    'aria-expanded': items.length > 0,
    'aria-controls': `${id}-list`,
    'aria-autocomplete': 'list',
    'aria-activedescendant': items[at] ? `${id}-${at}` : undefined,
    autoComplete: 'off',
    spellCheck: false,
  } satisfies InputHTMLAttributes<HTMLInputElement>;
}
