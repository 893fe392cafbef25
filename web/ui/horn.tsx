import { classes } from './classes.ts';

/** The logo of Posthorn. It is an image, because not every font has the symbol. */
export function Horn({ className }: { className: string }) {
  return <img src="/icon.svg" alt="" className={classes('shrink-0', className)} />;
}
