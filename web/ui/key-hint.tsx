import { classes } from './classes.ts';

/** The keys that do the same as the control around this hint. It is hidden on touch screens. */
export function KeyHint({ keys, className }: { keys: string; className?: string }) {
  return (
    <kbd
      aria-hidden
      className={classes(
        'pointer-events-none flex items-center rounded border border-line px-1.5 font-sans text-xs text-soft pointer-coarse:hidden',
        className,
      )}
    >
      {keys}
    </kbd>
  );
}
