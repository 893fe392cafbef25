/** The state of a select: whether it is open, the matching options, the active one, and the keys. */
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { moveBy } from './list-box.tsx';
import { findByStart, findOptions, type Options } from './options.ts';

const TYPING_PAUSE_MS = 700;
const OPENING_KEYS = ['ArrowDown', 'ArrowUp', 'Home', 'End'];

interface Choice {
  value: string | number;
  options: Options;
  onChange(event: { target: { value: string } }): void;
  onOpen?(): void;
}

export type SelectList = ReturnType<typeof useSelectList>;

interface Parts {
  hasSearch: boolean;
  searchId: string;
  button: RefObject<HTMLElement | null>;
}

export function useSelectList(choice: Choice, { hasSearch, searchId, button }: Parts) {
  const { options, onChange, onOpen } = choice;
  const value = String(choice.value);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const typeAhead = useTypeAhead();
  const found = hasSearch ? findOptions(options, typed) : options;
  const chosen = options.findIndex(([option]) => option === value);

  useEffect(() => {
    // The options may be computed when the list opens, so the index of the chosen one is known only now.
    if (isOpen && hasSearch && typed === '') setAt(Math.max(0, chosen));
  }, [isOpen, hasSearch, typed, chosen]);

  const open = (key = '') => {
    onOpen?.();
    setTyped(hasSearch ? key : '');
    setAt(key && !hasSearch ? findByStart(options, typeAhead(key), chosen) : Math.max(0, chosen));
    setOpen(true);
  };
  const close = () => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };
  const choose = (option: string) => {
    close();
    if (option !== value) onChange({ target: { value: option } });
  };
  const chooseActive = () => (found[at] ? choose(found[at][0]) : close());

  /** Returns whether the key was handled, so that the browser must ignore it. */
  const pressed = (event: KeyboardEvent): boolean => {
    const to = moveBy(event, at, found.length);
    if (to !== undefined) setAt(to);
    // With Tab, the button gets the focus back before the browser moves on from it.
    else if (event.key === 'Enter' || event.key === 'Tab') chooseActive();
    else return false;
    return event.key !== 'Tab';
  };
  const pressedButton = (event: KeyboardEvent): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const letter = event.key.length === 1 && event.key !== ' ' ? event.key : '';
    const isOpening = !isOpen && (letter !== '' || OPENING_KEYS.includes(event.key));
    if (isOpening) open(letter);
    if (!isOpen) return isOpening;
    if (letter) setAt(findByStart(options, typeAhead(letter), at));
    else if (event.key === ' ') chooseActive();
    else return pressed(event);
    return true;
  };

  return {
    isOpen,
    at,
    setAt,
    typed,
    found,
    choose,
    toggle: () => (isOpen ? close() : open()),
    /** A press outside or the focus of another element closes the list; the focus stays with that element. */
    dismiss() {
      setOpen(false);
      if (document.activeElement?.id === searchId) button.current?.focus();
    },
    type(text: string) {
      setTyped(text);
      setAt(0);
    },
    onButtonKey(event: KeyboardEvent) {
      if (pressedButton(event)) event.preventDefault();
    },
    onSearchKey(event: KeyboardEvent) {
      // These two keys move the caret in the field.
      const isOfCaret = event.key === 'Home' || event.key === 'End';
      if (!isOfCaret && pressed(event)) event.preventDefault();
    },
  };
}

/** Collects the letters that are typed without a pause. */
function useTypeAhead(): (letter: string) => string {
  const state = useRef({ text: '', until: 0 });
  return (letter) => {
    const now = Date.now();
    const text = now < state.current.until ? state.current.text + letter : letter;
    state.current = { text, until: now + TYPING_PAUSE_MS };
    // Typing the same letter again moves to the next option.
    return [...text].every((each) => each === letter) ? letter : text;
  };
}
