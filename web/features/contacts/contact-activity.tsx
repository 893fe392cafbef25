/** Every email to the address of a contact with its outcome, and what applications said that the person did. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { AtSign } from 'lucide-react';
import type { ContactActivity } from '../../../src/features/activity/email-log/email-log.schema.ts';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { contactTexts } from '../../texts/en/contacts.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { Badge } from '../../ui/badge.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { toneOf } from '../emails/email-statuses.ts';

const t = contactTexts;

const COLUMNS: Column<ContactActivity>[] = [
  {
    name: emailTexts.subject,
    width: 3,
    cell: ({ id, subject, event }) =>
      event ? (
        <span title={JSON.stringify(event.data)}>{t.didEvent(event.name)}</span>
      ) : (
        <TextLink to="/emails/$emailId" params={{ emailId: id }}>
          {subject || emailTexts.noSubject}
        </TextLink>
      ),
  },
  {
    name: emailTexts.status,
    width: '7rem',
    cell: ({ status }) => status && <Badge tone={toneOf(status)}>{emailTexts.statuses[status]}</Badge>,
  },
  {
    name: emailTexts.campaign,
    width: 2,
    wideOnly: true,
    cell: ({ campaign }) =>
      campaign && (
        <TextLink to="/campaigns/$campaignId" params={{ campaignId: campaign.id }}>
          {campaign.name}
        </TextLink>
      ),
  },
  timeColumn(t.opened, ({ openedAt }) => openedAt, { none: '–' }),
  timeColumn(t.clicked, ({ clickedAt }) => clickedAt, { none: '–' }),
  timeColumn(
    emailTexts.when,
    ({ event, scheduledAt, createdAt }) => event?.occurredAt ?? scheduledAt ?? createdAt,
  ),
];

export function ActivityOfContact({ contact }: { contact: Contact }) {
  const path = `/contactBooks/${contact.contactBookId}/contacts/${contact.id}/activity`;
  const emails = useInfiniteQuery(cursorList<ContactActivity>(['contact-activity', contact.id], path));
  return (
    <Section title={t.activity} description={t.activityLead}>
      <CursorTable
        label={t.activity}
        query={emails}
        columns={COLUMNS}
        empty={<EmptyState icon={AtSign} title={t.noActivityTitle} text={t.noActivityText} />}
      />
    </Section>
  );
}
