/** Tabs for the content in further languages, and one to add a language. */
import { useState, type ReactNode } from 'react';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { translationTexts } from '../../texts/en/translations.ts';
import { Button } from '../../ui/button.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import {
  nameLanguage,
  readLanguageTag,
  readTranslations,
  writeTranslations,
  type TranslationFields,
} from './translation-fields.ts';

const t = translationTexts;

interface Translated {
  /** The translations as one text (translation-fields.ts). */
  value: string;
  onChange(value: string): void;
  /** A new translation starts as a copy of the default content. */
  base: TranslationFields;
  /** Templates have no preview text. */
  hasPreviewText: boolean;
  problem?: ReactNode;
  renderEditor(content: string, onChange: (content: string) => void): ReactNode;
}

export function translationTabs(translated: Translated) {
  const all = readTranslations(translated.value);
  const tabs = Object.entries(all).map(([language, fields]) => ({
    id: `language-${language}`,
    name: nameLanguage(language),
    stays: true,
    content: (
      <TranslationForm
        {...translated}
        language={language}
        fields={fields}
        change={(part) =>
          translated.onChange(writeTranslations({ ...all, [language]: { ...fields, ...part } }))
        }
        remove={() => {
          const { [language]: _, ...others } = all;
          translated.onChange(writeTranslations(others));
        }}
      />
    ),
  }));
  const add = (language: string) =>
    translated.onChange(writeTranslations({ ...all, [language]: translated.base }));
  const adding = <AddLanguage taken={Object.keys(all)} onAdd={add} problem={translated.problem} />;
  return [...tabs, { id: 'languages', name: t.tab, content: adding }];
}

interface TranslationFormProps extends Translated {
  language: string;
  fields: TranslationFields;
  change(part: Partial<TranslationFields>): void;
  remove(): void;
}

function TranslationForm({ language, fields, change, remove, ...rest }: TranslationFormProps) {
  return (
    <div className="space-y-4" lang={language}>
      {rest.problem}
      <TextField
        label={campaignTexts.subject}
        value={fields.subject}
        onChange={({ target }) => change({ subject: target.value })}
      />
      {rest.hasPreviewText && (
        <TextField
          label={campaignTexts.previewText}
          value={fields.previewText}
          onChange={({ target }) => change({ previewText: target.value })}
        />
      )}
      {fields.content === null ? (
        <TextAreaField
          label={campaignTexts.html}
          mono
          rows={20}
          value={fields.html}
          onChange={({ target }) => change({ html: target.value })}
        />
      ) : (
        rest.renderEditor(fields.content, (content) => change({ content }))
      )}
      <Button onClick={remove}>{t.remove(nameLanguage(language))}</Button>
    </div>
  );
}

interface AddLanguageProps {
  taken: string[];
  onAdd(language: string): void;
  problem: ReactNode;
}

function AddLanguage({ taken, onAdd, problem }: AddLanguageProps) {
  const [written, setWritten] = useState('');
  const [error, setError] = useState<string | undefined>();
  const add = () => {
    const language = readLanguageTag(written);
    const found = language === null ? t.invalid : taken.includes(language) ? t.taken : undefined;
    setError(found);
    if (language === null || found) return;
    onAdd(language);
    setWritten('');
  };
  return (
    <div className="max-w-md space-y-4">
      {problem}
      <TextField
        label={t.language}
        hint={t.languageHint}
        error={error}
        value={written}
        onChange={({ target }) => setWritten(target.value)}
        onKeyDown={(event) => {
          // Enter would submit the form around it.
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <Button onClick={add}>{t.add}</Button>
    </div>
  );
}
