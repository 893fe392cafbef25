/** The classes of a button whose star is set. */
export const STARRED = '[&_svg]:fill-brass [&_svg]:text-brass';
