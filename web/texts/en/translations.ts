export const translationTexts = {
  add: 'Add language',
  tab: 'Languages',
  language: 'Language',
  languageHint:
    'A language tag such as de, fr or pt-BR. Contacts with this language in the property language get the translation, all others the default content.',
  invalid: 'This is not a language tag. Examples: de, fr, pt-BR.',
  taken: 'There is already a translation for this language.',
  remove: (language: string) => `Remove ${language}`,
};
