import { figuresIn } from '../figures.ts';

export const LOCALE = 'de-DE';

export const { number, percent, plural } = figuresIn(LOCALE);
