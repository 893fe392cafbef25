import { rememberLanguage } from './language.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { LANGUAGES } from '../../texts/languages.ts';
import type { InterfaceLanguage } from '../../../src/features/identity/people/people.schema.ts';

/** The other languages of the pages before signing in, each by its own name. */
export function LanguageLinks() {
  const others = (Object.keys(LANGUAGES) as InterfaceLanguage[]).filter((each) => each !== texts.language);
  return (
    <ul aria-label={peopleTexts.settings.languageTitle} className="mt-8 flex flex-wrap gap-4 text-note">
      {others.map((language) => (
        <li key={language}>
          <button
            type="button"
            lang={language}
            className="rounded text-soft underline hover:text-ink"
            onClick={() => {
              rememberLanguage(language);
              window.location.reload();
            }}
          >
            {LANGUAGES[language]}
          </button>
        </li>
      ))}
    </ul>
  );
}
