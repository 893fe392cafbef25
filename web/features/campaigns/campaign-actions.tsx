import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  CalendarClock,
  CalendarX2,
  Copy,
  History,
  MailPlus,
  Pause,
  Pencil,
  Play,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { reportTexts } from '../../texts/en/report.ts';
import { versionTexts } from '../../texts/en/versions.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { CampaignVersionsDialog } from './campaign-versions.tsx';
import { draftForNonOpeners } from './copy-campaign.ts';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';
import { DeleteCampaignDialog } from './delete-campaign-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';

const t = campaignTexts;

/** The actions that the status of a campaign allows. */
export function CampaignActions({ campaign, onEdit }: { campaign: Campaign; onEdit(): void }) {
  const [busy, setBusy] = useState(false);
  const [isMoving, setIsMoving] = useState(false);
  const { data: books = [] } = useQuery(contactBooksQuery);
  const navigate = useNavigate();
  const { status } = campaign;
  const canSendAgain = status === 'SENT' && campaign.tracked.opens && campaign.opened < campaign.delivered;

  async function move(action: 'pause' | 'resume' | 'unschedule', done: string): Promise<void> {
    setBusy(true);
    const path = `/campaigns/${campaign.id}/${action}`;
    await act(() => sendJson('POST', path), { done, refreshes: ['campaigns'] });
    setBusy(false);
  }

  async function sendAgain(): Promise<void> {
    setBusy(true);
    const bookIds = books.map(({ id }) => id);
    await act(
      async () => {
        const { id } = await draftForNonOpeners(campaign, bookIds);
        await navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } });
      },
      { done: reportTexts.againCreated, refreshes: ['campaigns'] },
    );
    setBusy(false);
  }

  return (
    <>
      <RareActions
        campaign={campaign}
        books={books}
        unschedule={() => void move('unschedule', t.unscheduled)}
      />
      {canSendAgain && (
        <Button
          icon={MailPlus}
          busy={busy}
          title={reportTexts.sendAgainTitle}
          disabled={books.every(({ id }) => id !== campaign.contactBookId)}
          onClick={() => void sendAgain()}
        >
          {reportTexts.sendAgain}
        </Button>
      )}
      {campaign.editable && (
        <>
          <Button icon={CalendarClock} onClick={() => setIsMoving(true)}>
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
      {isMoving && <ScheduleDialog campaign={campaign} startAt="time" onClose={() => setIsMoving(false)} />}
    </>
  );
}

interface RareActionsProps {
  campaign: Campaign;
  books: ContactBook[];
  unschedule(): void;
}

function RareActions({ campaign, books, unschedule }: RareActionsProps) {
  const [open, setOpen] = useState<'copy' | 'versions' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <MoreMenu>
        <MenuItem icon={Copy} disabled={books.length === 0} onSelect={() => setOpen('copy')}>
          {t.copy}
        </MenuItem>
        {campaign.editable && (
          <>
            <MenuItem icon={History} onSelect={() => setOpen('versions')}>
              {versionTexts.open}
            </MenuItem>
            <MenuItem icon={CalendarX2} onSelect={unschedule}>
              {t.unschedule}
            </MenuItem>
          </>
        )}
        {campaign.status !== 'RUNNING' && (
          <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
            {t.delete}
          </MenuItem>
        )}
      </MoreMenu>
      {open === 'copy' && <CreateCampaignDialog books={books} like={campaign} onClose={close} />}
      {open === 'versions' && <CampaignVersionsDialog campaign={campaign} onClose={close} />}
      {open === 'delete' && <DeleteCampaignDialog campaign={campaign} onClose={close} />}
    </>
  );
}
