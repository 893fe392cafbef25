/** The list of options inside a popup. The element that has the focus handles the keyboard. */
import { Check } from 'lucide-react';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { classes } from './classes.ts';
import type { Options } from './options.ts';

const PAGE = 10;

interface ListBoxProps {
  id: string;
  label: string;
  options: Options;
  /** The chosen value. */
  value: string;
  /** The index of the option that Enter chooses. */
  at: number;
  setAt(at: number): void;
  choose(value: string): void;
  /** Set if the list takes the focus itself and handles the keys. */
  onKeyDown?(event: KeyboardEvent): void;
  className?: string;
}

export function ListBox(props: ListBoxProps) {
  const { id, label, options, value, at, setAt, choose, onKeyDown, className } = props;
  const list = useRef<HTMLUListElement>(null);
  const isFirstLook = useRef(true);
  useEffect(() => {
    // Only the list may scroll: `scrollIntoView` would move the page below the popup too.
    const option = list.current?.children[at] as HTMLElement | undefined;
    if (!list.current || !option) return;
    const { clientHeight, scrollTop } = list.current;
    const above = option.offsetTop - scrollTop;
    const below = above + option.offsetHeight - clientHeight;
    if (above < 0 || below > 0) {
      const middle = option.offsetTop - (clientHeight - option.offsetHeight) / 2;
      list.current.scrollTop = isFirstLook.current ? middle : scrollTop + (above < 0 ? above : below);
    }
    isFirstLook.current = false;
  }, [at, options]);
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      tabIndex={onKeyDown ? 0 : undefined}
      onKeyDown={onKeyDown}
      aria-activedescendant={onKeyDown ? optionId(id, at) : undefined}
      className={classes('relative min-h-0 overflow-y-auto overscroll-contain p-1', className)}
    >
      {options.map(([option, name, note], index) => (
        // The keyboard is handled by the element with the focus; this is for the pointer.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={option}
          id={optionId(id, index)}
          role="option"
          aria-selected={option === value}
          onMouseMove={() => setAt(index)}
          // The focus stays where it is, unless the list has it.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
          className={classes(
            'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2.5 py-1 pointer-coarse:min-h-11',
            index === at && 'bg-hover',
          )}
        >
          <Check
            aria-hidden
            className={classes('size-4 shrink-0 text-brass', option !== value && 'invisible')}
          />
          <span className="min-w-0 flex-1 break-words">{name}</span>
          {note && <span className="shrink-0 text-xs text-soft tabular-nums">{note}</span>}
        </li>
      ))}
    </ul>
  );
}

export function optionId(id: string, index: number): string {
  return `${id}-${index}`;
}

/** Returns the index that a key moves to in a list, or undefined if the key does not move. */
export function moveBy({ key }: KeyboardEvent, at: number, length: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: length - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : Math.max(0, Math.min(length - 1, to));
}
