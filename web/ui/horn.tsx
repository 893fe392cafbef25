import { classes } from './classes.ts';

/** The logo of Posthorn, as in public/icon.svg. It is drawn here, so that no page waits for it. */
export function Horn({ className }: { className: string }) {
  return (
    <svg aria-hidden viewBox="0 0 24 24" fill="none" className={classes('shrink-0', className)}>
      <g stroke="#e5ae45" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="10" cy="10" r="5" />
        <path d="M2 5h8M10 15h5" />
        <path d="M15 15c3 0 5-2 6.5-5v10c-1.5-3-3.5-5-6.5-5z" fill="#e5ae45" />
      </g>
    </svg>
  );
}
