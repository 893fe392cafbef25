/** Classes of a button with a star that is set. */
export const STARRED = '[&_svg]:fill-brass [&_svg]:text-brass';
