/** The number of recipients of a campaign, by book, segment and topic, and the contacts that are left out. */
import type { CampaignAudience } from '../../../../src/features/campaigns/check/check.schema.ts';
import { texts } from '../../../texts/en.ts';
import { checkTexts } from '../../../texts/en/check.ts';

const t = checkTexts;

export function AudienceCount({ audience }: { audience: CampaignAudience }) {
  const { recipients, contacts, books, segment, topic, leftOut } = audience;
  const lines = [
    ...(books.length > 1 ? books.map((book) => t.inBook(book.name, book.recipients, book.contacts)) : []),
    ...(segment ? [t.inSegment(segment.name, segment.contacts)] : []),
    ...(topic ? [t.inTopic(topic.name, topic.contacts)] : []),
  ];
  return (
    <>
      <strong className="font-semibold">{t.people(recipients)}</strong>{' '}
      {contacts !== recipients && <span className="text-soft">{t.ofContacts(contacts)}</span>}
      {(lines.length > 0 || leftOut.length > 0) && (
        <details className="mt-1 text-sm">
          <summary className="w-fit cursor-pointer rounded text-soft hover:text-ink">{t.who}</summary>
          <ul className="mt-1 space-y-0.5">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {leftOut.map(({ reason, count }) => (
              <li key={reason} className="text-soft">
                {t.leftOut[reason]}: {texts.common.number(count)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
