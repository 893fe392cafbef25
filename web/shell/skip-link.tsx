import { texts } from '../texts/en.ts';

/** The first element that Tab reaches: it skips the navigation. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="fixed top-2 left-2 z-60 -translate-y-16 rounded-lg bg-ink px-3 py-2 text-paper focus:translate-y-0 print:hidden"
    >
      {texts.shell.skip}
    </a>
  );
}
