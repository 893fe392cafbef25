import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarClock, CalendarX2, Copy, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import { CAMPAIGN_TONES } from './campaigns-api.ts';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';
import { DeleteCampaignDialog } from './delete-campaign-dialog.tsx';
import { Recipients } from './recipients.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';

const t = texts.campaigns;
const back = { to: '/campaigns', label: t.title } as const;
const COUNTS = [
  'total',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
] as const;

/** How a campaign goes, while it goes. */
export function CampaignProgress({ campaign, onEdit }: { campaign: Campaign; onEdit(): void }) {
  const queryClient = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [copying, setCopying] = useState(false);
  const [moving, setMoving] = useState(false);
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { status, sent, total } = campaign;

  async function move(action: 'pause' | 'resume' | 'unschedule', done: string): Promise<void> {
    setBusy(true);
    try {
      await sendJson('POST', `/campaigns/${campaign.id}/${action}`);
      showToast(done);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await queryClient.invalidateQueries({ queryKey: ['campaigns'] });
    setBusy(false);
  }

  return (
    <Page
      wide
      title={campaign.name}
      mark={<Badge tone={CAMPAIGN_TONES[status]}>{t.statuses[status]}</Badge>}
      description={campaign.subject}
      back={back}
      actions={
        <>
          {status !== 'RUNNING' && (
            <Button icon={Trash2} onClick={() => setDeleting(true)}>
              {texts.common.delete}
            </Button>
          )}
          <Button icon={Copy} disabled={books.length === 0} onClick={() => setCopying(true)}>
            {t.copy}
          </Button>
          {campaign.editable && (
            <>
              <Button icon={CalendarX2} busy={busy} onClick={() => void move('unschedule', t.unscheduled)}>
                {t.unschedule}
              </Button>
              <Button icon={CalendarClock} onClick={() => setMoving(true)}>
                {t.move}
              </Button>
              <Button icon={Pencil} onClick={onEdit}>
                {t.edit}
              </Button>
            </>
          )}
          {(status === 'RUNNING' || status === 'SCHEDULED') && (
            <Button look="primary" icon={Pause} busy={busy} onClick={() => void move('pause', t.paused)}>
              {t.pause}
            </Button>
          )}
          {status === 'PAUSED' && (
            <Button look="primary" icon={Play} busy={busy} onClick={() => void move('resume', t.resumed)}>
              {t.resume}
            </Button>
          )}
        </>
      }
    >
      {campaign.statusReason && (
        <p className="mb-6 rounded-lg bg-warn-tint px-4 py-3 text-warn">{campaign.statusReason}</p>
      )}
      <Times campaign={campaign} />
      {total > 0 && <ProgressBar label={t.progress} share={sent / total} />}
      <dl className="mb-8 grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
        {COUNTS.map((name) => (
          <div key={name} className="bg-raised px-4 py-3">
            <dt className="text-soft">{t.counts[name]}</dt>
            <dd className="text-xl font-semibold tabular-nums">{texts.common.number(campaign[name])}</dd>
          </div>
        ))}
      </dl>
      <Tabs
        label={t.views}
        tabs={[
          {
            id: 'recipients',
            name: t.recipients,
            content: <Recipients campaignId={campaign.id} isLive={status === 'RUNNING'} />,
          },
          { id: 'preview', name: t.preview, content: <CampaignPreview campaignId={campaign.id} /> },
        ]}
      />
      {copying && <CreateCampaignDialog books={books} like={campaign} onClose={() => setCopying(false)} />}
      {moving && <ScheduleDialog campaign={campaign} onClose={() => setMoving(false)} />}
      {deleting && <DeleteCampaignDialog campaign={campaign} onClose={() => setDeleting(false)} />}
    </Page>
  );
}

/** What is true of its times in each status, and what resuming does. */
function Times({ campaign: { status, scheduledAt, startedAt, sentAt } }: { campaign: Campaign }) {
  const hasStarted = startedAt !== null;
  const isAhead = scheduledAt !== null && Date.parse(scheduledAt) > Date.now();
  const isPaused = status === 'PAUSED';
  const times = [
    [hasStarted ? t.continuesAt : t.leavesAt, status === 'SCHEDULED' ? scheduledAt : null],
    [
      hasStarted ? t.wasToContinueAt : t.wasToLeaveAt,
      isPaused && (isAhead || !hasStarted) ? scheduledAt : null,
    ],
    [t.startedAt, startedAt],
    [t.sentAt, sentAt],
  ] as const;
  return (
    <p className="mb-4 flex flex-wrap gap-x-6 text-soft">
      {times.map(
        ([name, at]) =>
          at && (
            <span key={name}>
              {name} <Time at={at} precise />
            </span>
          ),
      )}
      {isPaused && <span>{isAhead ? t.pausedAhead : hasStarted ? t.pausedHalfway : t.pausedTooLong}</span>}
    </p>
  );
}
