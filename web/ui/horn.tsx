import { classes } from './classes.ts';

/** The mark of Posthorn, as in public/icon.svg: drawn, because not every machine has a font with a horn in it. */
export function Horn({ className }: { className: string }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 24 24"
      className={classes('shrink-0 text-horn', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <circle cx="10" cy="10" r="5" />
      <path d="M2 5h8M10 15h5" />
      <path d="M15 15c3 0 5-2 6.5-5v10c-1.5-3-3.5-5-6.5-5z" fill="currentColor" />
    </svg>
  );
}
