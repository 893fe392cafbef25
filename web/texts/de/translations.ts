import type { translationTexts as English } from '../en/translations.ts';

export const translationTexts: typeof English = {
  add: 'Sprache hinzufügen',
  tab: 'Sprachen',
  language: 'Sprache',
  languageHint:
    'Ein Sprachkürzel wie de, fr oder pt-BR. Kontakte mit dieser Sprache in der Eigenschaft language erhalten die Übersetzung, alle anderen den Standardinhalt.',
  invalid: 'Das ist kein Sprachkürzel. Beispiele: de, fr, pt-BR.',
  taken: 'Für diese Sprache gibt es schon eine Übersetzung.',
  remove: (language) => `${language} entfernen`,
};
