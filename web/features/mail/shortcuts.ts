/** Single keys, as Gmail's people know them. They rest while somebody types or a dialog is open. */
import { useEffect, useRef } from 'react';

const CHORD_MS = 1_200;

/** `g i` stands for one key after the other. */
export type Shortcuts = Record<string, () => void>;

export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    let first = '';
    let timer: number | undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (
        isTyping(event.target) ||
        document.querySelector('[role="dialog"][data-state="open"], [role="menu"]')
      )
        return;
      const name = first === '' ? event.key : `${first} ${event.key}`;
      first = '';
      window.clearTimeout(timer);
      const run = current.current[name];
      if (run) {
        event.preventDefault();
        run();
      } else if (Object.keys(current.current).some((each) => each.startsWith(`${event.key} `))) {
        first = event.key;
        timer = window.setTimeout(() => void (first = ''), CHORD_MS);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
      window.clearTimeout(timer);
    };
  }, []);
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField = target instanceof HTMLInputElement && target.type !== 'checkbox';
  return isField || target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName);
}
