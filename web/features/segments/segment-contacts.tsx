import { useInfiniteQuery } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import type { Segment } from '../../../src/features/audience/segments/segments.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { segmentTexts } from '../../texts/en/audience.ts';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CONTACT_COLUMNS } from '../contacts/contact-columns.tsx';

const t = segmentTexts;

/** The contacts that match the saved filter. */
export function SegmentContacts({ segment }: { segment: Segment }) {
  const contacts = useInfiniteQuery(
    cursorList<Contact>(['segment-contacts', segment.id], `/segments/${segment.id}/contacts`),
  );
  return (
    <div className="mt-10">
      <Section title={t.members} description={t.membersHint}>
        <CursorTable
          label={t.members}
          query={contacts}
          columns={CONTACT_COLUMNS}
          empty={<EmptyState icon={Users} title={t.noMembersTitle} text={t.noMembersText} />}
        />
      </Section>
    </div>
  );
}
