import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useState } from 'react';
import type { CampaignRecipient } from '../../../src/features/campaigns/campaigns.schema.ts';
import type { EmailStatus } from '../../../src/features/emails/emails.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { ChoiceField, ListFilters } from '../../ui/list-head.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toneOf } from '../emails/email-statuses.ts';

const t = texts.campaigns;
const LIVE_EVERY_MS = 2_000;
const QUIET_EVERY_MS = 10_000;
const STATES = ['pending', 'released', 'skipped'] as const;
type State = (typeof STATES)[number];

const TONES: Record<State, Tone> = { pending: 'neutral', released: 'info', skipped: 'warn' };

/** Who gets it, by address, with what became of it. */
export function Recipients({ campaignId, isLive }: { campaignId: string; isLive: boolean }) {
  const [state, setState] = useState<State>();
  const recipients = useInfiniteQuery({
    ...cursorList<CampaignRecipient>(
      ['campaigns', 'recipients', campaignId],
      `/campaigns/${campaignId}/recipients`,
      { state },
    ),
    refetchInterval: ({ state: { data } }) => {
      if (data?.pages.length !== 1) return false;
      // A campaign is through with the first attempt at its last recipient; what becomes of it shows later.
      const isGoing = data.pages[0]!.items.some(({ status }) => status === 'QUEUED' || status === 'SENT');
      return isLive || isGoing ? LIVE_EVERY_MS : QUIET_EVERY_MS;
    },
  });
  return (
    <>
      <ListFilters>
        <ChoiceField
          label={t.state}
          all={t.allStates}
          choices={STATES.map((each) => [each, t.recipientStates[each]])}
          value={state}
          onChoose={(chosen) => setState(chosen)}
        />
      </ListFilters>
      <CursorTable
        label={t.recipients}
        query={recipients}
        keyOf={({ email }) => email}
        columns={[
          {
            name: texts.common.email,
            width: 'minmax(0, 2fr)',
            cell: ({ email, emailId }) =>
              emailId ? (
                <Link
                  to="/emails/$emailId"
                  params={{ emailId }}
                  className="rounded font-medium hover:underline"
                >
                  {email}
                </Link>
              ) : (
                email
              ),
          },
          {
            name: t.state,
            width: 'minmax(0, 1fr)',
            cell: (recipient) => <StateBadge recipient={recipient} />,
          },
        ]}
        empty={<EmptyState icon={Users} title={t.noRecipients} />}
      />
    </>
  );
}

function StateBadge({ recipient: { state, status, reason } }: { recipient: CampaignRecipient }) {
  if (status !== null && status in texts.emails.statuses) {
    const known = status as EmailStatus;
    return <Badge tone={toneOf(known)}>{texts.emails.statuses[known]}</Badge>;
  }
  return (
    <Badge tone={TONES[state]}>
      {t.recipientStates[state]}
      {reason && `: ${t.reasons[reason]}`}
    </Badge>
  );
}
