import type { InterfaceLanguage } from '../../../src/features/identity/people/people.schema.ts';
import { sendJson } from '../../api/client.ts';
import { forgetLanguage, rememberLanguage } from './language.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { LANGUAGES } from '../../texts/languages.ts';
import { SelectField } from '../../ui/field.tsx';
import { FormError, useForm } from '../../ui/form.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { useSession } from './session.ts';

const t = peopleTexts.settings;

/** The language of the app, which follows the person to other browsers. */
export function LanguageSection() {
  const { user } = useSession();
  const form = useForm({ language: user.language ?? '' }, async ({ language }) => {
    const chosen = language === '' ? null : (language as InterfaceLanguage);
    await sendJson('PATCH', '/auth/me', { language: chosen });
    if (chosen === null) forgetLanguage();
    else rememberLanguage(chosen);
    window.location.reload();
  });
  return (
    <Section title={t.languageTitle} description={t.languageLead}>
      <Card>
        <form onSubmit={form.onSubmit} className="flex flex-wrap items-end gap-3">
          <SelectField
            className="flex-1 basis-56"
            label={t.languageTitle}
            options={[['', t.languageOfBrowser], ...Object.entries(LANGUAGES)]}
            {...form.text('language')}
          />
          <Button type="submit" busy={form.busy} disabled={form.values.language === (user.language ?? '')}>
            {texts.common.save}
          </Button>
        </form>
        <FormError error={form.errorBeside()} />
      </Card>
    </Section>
  );
}
