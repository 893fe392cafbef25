import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, Users } from 'lucide-react';
import { useState } from 'react';
import type {
  ListedRecipient,
  RecipientState,
} from '../../../src/features/campaigns/report/recipients.schema.ts';
import { apiUrl } from '../../api/client.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { buttonClasses } from '../../ui/button.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { ChoiceField, ListFilters, SearchField } from '../../ui/list-filters.tsx';
import { EmptyState, NothingFound } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';

const t = reportTexts;
const LIVE_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 10_000;

const TONES: Record<RecipientState, Tone> = {
  waiting: 'neutral',
  sent: 'info',
  delivered: 'good',
  opened: 'good',
  clicked: 'good',
  bounced: 'bad',
  complained: 'bad',
  unsubscribed: 'warn',
  skipped: 'warn',
};
const STATES = Object.keys(TONES) as RecipientState[];

const COLUMNS: Column<ListedRecipient>[] = [
  {
    name: texts.common.email,
    width: 2,
    cell: ({ email, emailId }) =>
      emailId ? (
        <TextLink to="/emails/$emailId" params={{ emailId }}>
          {email}
        </TextLink>
      ) : (
        email
      ),
  },
  {
    name: t.state,
    width: '8rem',
    narrowWidth: '6rem',
    cell: ({ state }) => <Badge tone={TONES[state]}>{t.recipientStates[state]}</Badge>,
  },
  {
    name: t.reason,
    width: 1,
    wideOnly: true,
    cell: ({ reason }) => <span className="text-soft">{reason && t.reasons[reason]}</span>,
  },
  timeColumn(t.opened, ({ openedAt }) => openedAt),
];

/** The recipients by address, each with the state of its email. */
export function Recipients({ campaignId, isLive }: { campaignId: string; isLive: boolean }) {
  const [state, setState] = useState<RecipientState>();
  const [search, setSearch] = useState<string>();
  const path = `/campaigns/${campaignId}/recipients`;
  const recipients = useInfiniteQuery({
    ...cursorList<ListedRecipient>(['campaigns', 'recipients', campaignId], path, { state, search }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.pages.length !== 1) return false;
      // A campaign is SENT after the first attempt for its last recipient; outcomes follow later.
      const isGoing = data.pages[0]!.items.some(({ state: each }) => each === 'waiting' || each === 'sent');
      return isLive || isGoing ? LIVE_EVERY_MS : QUIET_EVERY_MS;
    },
  });
  const isFiltered = state !== undefined || search !== undefined;
  return (
    <>
      <ListFilters>
        <SearchField label={t.searchRecipients} value={search} onSearch={setSearch} />
        <ChoiceField
          label={t.state}
          all={t.allStates}
          choices={STATES.map((each) => [each, t.recipientStates[each]])}
          value={state}
          onChoose={(chosen) => setState(chosen)}
        />
        <a className={buttonClasses()} href={apiUrl(`${path}.csv`, { state, search })} download>
          <Download aria-hidden className="size-4" />
          {t.download}
        </a>
      </ListFilters>
      <CursorTable
        label={campaignTexts.recipients}
        query={recipients}
        keyOf={({ email }) => email}
        columns={COLUMNS}
        empty={
          isFiltered ? (
            <NothingFound
              icon={Users}
              title={t.noneFound}
              clear={() => {
                setState(undefined);
                setSearch(undefined);
              }}
            />
          ) : (
            <EmptyState icon={Users} title={t.noRecipients} />
          )
        }
      />
    </>
  );
}
