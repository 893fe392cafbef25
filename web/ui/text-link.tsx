/** The name of an item in a list: it opens the page of the item, or a dialog. */
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from 'react';
import { classes } from './classes.ts';

/** The area above and below the text belongs to it, so that it is easy to hit with a finger. */
const LOOK = 'rounded font-medium hover:underline pointer-coarse:py-3';

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> };

export const TextLink = createLink(({ className, children, ...rest }: AnchorProps) => (
  <a {...rest} className={classes(LOOK, className)}>
    {children}
  </a>
));

export function TextButton({ className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      {...rest}
      className={classes('max-w-full truncate pointer-coarse:-my-3', LOOK, className)}
    />
  );
}
