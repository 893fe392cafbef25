/**
 * Single-key shortcuts, as in Gmail. They are inactive while the user types or a dialog is open. They are
 * suspended while an editor is being opened, so that text typed too early does not trigger them.
 */
import { useEffect, useLayoutEffect, useRef } from 'react';

const CHORD_MS = 1_200;
/** A request that hangs must not disable the shortcuts for longer. */
const HELD_AT_MOST_MS = 10_000;

let holds = 0;

function hold(): () => void {
  holds += 1;
  let release = () => {
    release = () => {};
    // A new editor gets the focus one frame after it is rendered.
    requestAnimationFrame(() => requestAnimationFrame(() => void (holds -= 1)));
  };
  return () => release();
}

export function useHeldShortcuts(isHeld: boolean): void {
  useLayoutEffect(() => (isHeld ? hold() : undefined), [isHeld]);
}

/** Suspends the shortcuts during `work`, which ends with an open editor. */
export async function holdShortcuts<Result>(work: Promise<Result>): Promise<Result> {
  const release = hold();
  window.setTimeout(release, HELD_AT_MOST_MS);
  try {
    return await work;
  } finally {
    release();
  }
}

/** `g i` means that the keys are pressed one after the other. */
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
      if (holds > 0) {
        // The key must not press the focused button or link.
        if (event.key.length === 1 || event.key === 'Enter') event.preventDefault();
        return;
      }
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
