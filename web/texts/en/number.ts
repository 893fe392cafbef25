import { figuresIn } from '../figures.ts';

export const LOCALE = 'en-GB';

export const { number, percent, plural } = figuresIn(LOCALE);
