import type { InterfaceLanguage } from '../../src/features/identity/people/people.schema.ts';

/** The languages of the web app, each by its own name. docs/languages.md explains how to add one. */
export const LANGUAGES: Record<InterfaceLanguage, string> = { en: 'English', de: 'Deutsch' };
