/** The command palette is loaded on demand. Text that is typed before it has loaded is not lost. */
import { useEffect } from 'react';
import { texts } from '../texts/en.ts';
import { showToast } from '../ui/toasts.ts';
import { late } from './late.tsx';

let typed = '';

const readTyped = () => typed;

function Waiting() {
  useEffect(() => {
    const keep = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === 'Backspace') typed = typed.slice(0, -1);
      else if (event.key.length === 1) typed += event.key;
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', keep, true);
    return () => window.removeEventListener('keydown', keep, true);
  }, []);
  return null;
}

function Failed() {
  useEffect(() => {
    showToast(texts.errors.offline, { tone: 'bad' });
  }, []);
  return null;
}

const { Part, preload } = late(async () => (await import('./palette.tsx')).Palette, { Waiting, Failed });

export function LatePalette({ onClose }: { onClose(): void }) {
  useEffect(
    () => () => {
      typed = '';
    },
    [],
  );
  return <Part readTyped={readTyped} onClose={onClose} />;
}

/** For the button that opens the palette: it is loaded while the pointer or the focus is on its way to pressing it. */
export const ABOUT_TO_OPEN_PALETTE = { onPointerEnter: preload, onFocus: preload };

/** Ctrl-K opens and closes it. It is loaded when Ctrl is pressed. */
export function usePaletteKey(set: (change: (isOpen: boolean) => boolean) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Control' || event.key === 'Meta') preload();
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      set((isOpen) => !isOpen);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [set]);
}
