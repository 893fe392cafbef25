import type { starterTexts as English } from '../en/starters.ts';

export const starterTexts: typeof English = {
  label: 'Gestaltung',
  dark: 'In dunkler Darstellung',
  blank: 'Leer',
  code: 'HTML oder MJML',
  own: 'Ihre Vorlage',
  codeLabel: 'HTML oder MJML',
  codeHint:
    'Aus MJML wird HTML. Platzhalter wie {{firstName,fallback=zusammen}} werden beim Senden ausgefüllt.',
  upload: 'Datei wählen',
  tooLarge: 'Diese Datei ist größer als 2 MB.',
};
