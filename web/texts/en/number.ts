import { figuresIn } from '../intl/figures.ts';

export const LOCALE = 'en-GB';

export const { number, percent, plural } = figuresIn(LOCALE);
