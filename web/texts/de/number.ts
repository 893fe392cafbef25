import { figuresIn } from '../intl/figures.ts';

export const LOCALE = 'de-DE';

export const { number, percent, plural } = figuresIn(LOCALE);
