/** Where a contact came from, its subscription, its books, and whether its address is suppressed. */
import type { ReactNode } from 'react';
import type { ContactDetails } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { suppressionTexts } from '../../texts/en/suppressions.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Section } from '../../ui/page.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/dates/time.tsx';

const t = contactTexts;

export function ContactFacts({ contact }: { contact: ContactDetails }) {
  const { subscription, unsubscribeReason, consent, suppression } = contact;
  const { confirmationSentAt, lastOpenedAt, lastClickedAt } = contact;
  return (
    <div>
      <Section title={t.history}>
        <dl className="grid grid-cols-1 gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)] sm:gap-y-2">
          {suppression && (
            <Fact name={t.suppressed}>
              <span className="text-bad">{suppressionTexts.reasons[suppression.reason]}</span>
              <Time at={suppression.createdAt} />
              <TextLink to="/suppressions">{t.viewSuppressions}</TextLink>
            </Fact>
          )}
          <Fact name={t.states[subscription.state]}>
            <Time at={subscription.changedAt} precise />
            <span className="text-soft">{describeAuthor(subscription.changedBy)}</span>
          </Fact>
          {unsubscribeReason && (
            <Fact name={t.reason}>{t.reasons[unsubscribeReason] ?? unsubscribeReason}</Fact>
          )}
          {consent && (
            <Fact name={t.consentGiven}>
              {consent.source === 'import' ? (consent.note ?? t.consentWithoutNote) : t.signedUp}
              <span className="text-soft">
                <Time at={consent.at} />, {describeAuthor(consent.by)}
              </span>
            </Fact>
          )}
          {confirmationSentAt && (
            <Fact name={t.confirmationSent}>
              <Time at={confirmationSentAt} precise />
            </Fact>
          )}
          <Fact name={t.lastOpened}>{lastOpenedAt ? <Time at={lastOpenedAt} precise /> : t.never}</Fact>
          <Fact name={t.lastClicked}>{lastClickedAt ? <Time at={lastClickedAt} precise /> : t.never}</Fact>
          <Fact name={t.added}>
            <Time at={contact.createdAt} precise />
          </Fact>
          <Fact name={t.id}>
            <CopyId id={contact.id} label={t.copyId} />
          </Fact>
        </dl>
      </Section>
      <Section title={t.books}>
        <ul className="divide-y divide-line rounded-xl border border-line">
          {contact.books.map(({ contactBookId, contactId, name, emoji, subscribed }) => (
            <li key={contactId} className="flex items-center justify-between gap-3 px-4 py-2.5">
              <span className="min-w-0 truncate">
                <span aria-hidden>{emoji}</span>{' '}
                {contactId === contact.id ? (
                  <span className="font-medium">{name}</span>
                ) : (
                  <TextLink
                    to="/contact-books/$bookId/contacts/$contactId"
                    params={{ bookId: contactBookId, contactId }}
                  >
                    {name}
                  </TextLink>
                )}
              </span>
              <span className="shrink-0">
                <Badge tone={subscribed ? 'good' : 'neutral'}>
                  {subscribed ? t.subscribed : t.notSubscribed}
                </Badge>
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft max-sm:text-[0.8125rem]">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 break-words max-sm:mb-3">{children}</dd>
    </>
  );
}

function describeAuthor(by: string): string {
  if (by === 'recipient') return t.byRecipient;
  if (by.startsWith('key_')) return t.byKey;
  if (by.startsWith('frm_')) return t.byForm;
  return by.startsWith('user:') ? t.byPerson : by;
}
