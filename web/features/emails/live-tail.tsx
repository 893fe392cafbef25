/** The log of emails as it grows: what arrives while one watches is marked for a moment. */
import { useEffect, useRef, useState } from 'react';
import { emailTexts } from '../../texts/en/emails.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';

const t = emailTexts;
const MARKED_MS = 4_000;
const NONE: ReadonlySet<string> = new Set();

export function LiveButton({ isLive, onChange }: { isLive: boolean; onChange(isLive: boolean): void }) {
  return (
    <button
      type="button"
      aria-pressed={isLive}
      title={t.liveTitle}
      onClick={() => onChange(!isLive)}
      className={buttonClasses()}
    >
      <span aria-hidden className="relative flex size-2">
        {isLive && (
          <span className="absolute inset-0 rounded-full bg-good opacity-60 motion-safe:animate-ping" />
        )}
        <span className={classes('size-2 rounded-full', isLive ? 'bg-good' : 'bg-edge')} />
      </span>
      {t.live}
    </button>
  );
}

/** Returns the IDs of the items that were not there the time before. Nothing is new in the first list. */
export function useFresh(items: readonly { id: string }[] | undefined): ReadonlySet<string> {
  const known = useRef<Set<string> | null>(null);
  const [fresh, setFresh] = useState(NONE);
  useEffect(() => {
    if (!items) {
      known.current = null;
      return setFresh(NONE);
    }
    const before = known.current;
    known.current = new Set(items.map(({ id }) => id));
    const added = before ? items.filter(({ id }) => !before.has(id)).map(({ id }) => id) : [];
    if (added.length === 0) return;
    setFresh((marked) => new Set([...marked, ...added]));
    window.setTimeout(
      () => setFresh((marked) => new Set([...marked].filter((id) => !added.includes(id)))),
      MARKED_MS,
    );
  }, [items]);
  return fresh;
}
