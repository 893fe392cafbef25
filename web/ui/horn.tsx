import { classes } from './classes.ts';

/** The mark of Posthorn: drawn, because not every machine has a font with a horn in it. */
export function Horn({ className }: { className: string }) {
  return <img src="/icon.svg" alt="" className={classes('shrink-0', className)} />;
}
