/** The subject and the preview text as the title of the letter. */
import { useQuery } from '@tanstack/react-query';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { TitleField } from '../../ui/title-field.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import type { Draft } from './use-draft.ts';
import { InsertTag } from './insert-tag.tsx';

const t = campaignTexts;

export function LetterTitle({ draft }: { draft: Draft }) {
  const { contactBookId } = draft.fields;
  const { data: book } = useQuery({ ...contactBookQuery(contactBookId), enabled: contactBookId !== '' });
  const variables = book?.variables ?? [];
  const subject = draft.text('subject');
  const previewText = draft.text('previewText');
  return (
    <div className="mt-4 mb-3 space-y-1">
      <TitleField
        {...subject}
        size="title"
        label={t.subject}
        placeholder={t.subjectPlaceholder}
        onChange={(value) => subject.onChange({ target: { value } })}
        aside={(field, change) => (
          <InsertTag label={t.personalise} variables={variables} field={field} onChange={change} />
        )}
      />
      <TitleField
        {...previewText}
        size="line"
        label={t.previewText}
        placeholder={t.previewPlaceholder}
        onChange={(value) => previewText.onChange({ target: { value } })}
        aside={(field, change) => (
          <InsertTag label={t.personalisePreview} variables={variables} field={field} onChange={change} />
        )}
      />
    </div>
  );
}
