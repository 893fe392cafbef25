/** Who gets the letter, from whom and how: one line, of which each part opens the settings where it is set. */
import { useQuery } from '@tanstack/react-query';
import { Archive, AtSign, CalendarClock, FlaskConical, Tags, Users, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { getJson } from '../../api/client.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { checkTexts } from '../../texts/en/check.ts';
import { classes } from '../../ui/classes.ts';
import { Time } from '../../ui/dates/time.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { nameOf } from '../mail/parts/people.ts';
import type { FieldName } from './draft-fields.ts';
import type { Draft } from './use-draft.ts';
import { readVariants } from './variant-fields.ts';
import { useRecipientCount } from './use-recipient-count.ts';
import { SettingsSheet, type Section } from './settings-sheet.tsx';

const t = campaignTexts;
const s = t.summary;

interface CampaignSummaryProps {
  campaign: Campaign;
  draft: Draft;
  /** Opens the dialog that sends or schedules it, for a draft. */
  onSend?: (() => void) | undefined;
}

export function CampaignSummary({ campaign, draft, onSend }: CampaignSummaryProps) {
  const [open, setOpen] = useState<Section | null>(null);
  const { fields, refused } = draft;
  const variants = readVariants(fields.variants).length;
  const part = (section: Section, names: readonly FieldName[]) => ({
    isWrong: names.some((name) => refused.has(name)),
    onClick: () => setOpen(section),
  });
  return (
    <>
      <div
        role="group"
        aria-label={t.settings}
        className="-mx-2 flex items-center gap-x-1 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-2 sm:flex-wrap"
      >
        <Part icon={Users} {...part('recipients', ['contactBookId', 'segmentId', 'excludeCampaignId'])}>
          <RecipientSummary campaign={campaign} draft={draft} />
        </Part>
        <Part icon={AtSign} {...part('sender', ['from', 'replyTo', 'name'])}>
          {/* With the address as well, the line would not be one. */}
          <span title={fields.from}>{nameOf(fields.from) || s.noSender}</span>
        </Part>
        <Part icon={Tags} {...part('recipients', ['topicId'])}>
          <TopicName topicId={fields.topicId} />
        </Part>
        <Part icon={Archive} {...part('archive', ['showInArchive'])}>
          {fields.showInArchive === 'yes' ? s.archived : s.notArchived}
        </Part>
        <Part
          icon={FlaskConical}
          {...part('test', ['variants', 'testPercent', 'decideBy', 'decideAfterMinutes'])}
        >
          {variants === 0 ? s.noTest : s.test(variants)}
        </Part>
        {onSend && (
          <Part icon={CalendarClock} isWrong={false} onClick={onSend}>
            {s.sendTime}
          </Part>
        )}
        {!onSend && campaign.scheduledAt && (
          <span className="flex items-center gap-1.5 px-2 text-note text-soft">
            <CalendarClock aria-hidden className="size-3.5" />
            {t.leavesAt} <Time at={campaign.scheduledAt} precise />
          </span>
        )}
      </div>
      {open && (
        <SettingsSheet campaign={campaign} draft={draft} startAt={open} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

interface PartProps {
  icon: LucideIcon;
  /** One of the fields behind it was rejected. */
  isWrong: boolean;
  onClick(): void;
  children: ReactNode;
}

function Part({ icon: Icon, isWrong, onClick, children }: PartProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onClick}
      className={classes(
        'flex h-8 max-w-full min-w-0 items-center max-sm:max-w-none max-sm:shrink-0 gap-1.5 rounded-lg px-2 text-note pointer-coarse:h-10',
        isWrong ? 'bg-bad-tint text-bad' : 'text-soft hover:bg-hover hover:text-ink',
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 truncate">
        {children}
        {isWrong && <span className="font-medium"> · {s.wrong}</span>}
      </span>
    </button>
  );
}

/** Counted again when a change of the audience has been saved. */
function RecipientSummary({ campaign, draft }: { campaign: Campaign; draft: Draft }) {
  const { data: books = [] } = useQuery(contactBooksQuery);
  const { data } = useRecipientCount(campaign);
  const book = books.find(({ id }) => id === draft.fields.contactBookId);
  if (!data) return s.loading;
  const recipients = <b className="font-semibold text-ink">{checkTexts.people(data.audience.recipients)}</b>;
  const name = data.audience.segment?.name ?? book?.name;
  return (
    <>
      {recipients} {name && t.summary.of(name)}
    </>
  );
}

function TopicName({ topicId }: { topicId: string }) {
  const { data } = useQuery({
    queryKey: ['topics', 'one', topicId],
    queryFn: () => getJson<{ name: string }>(`/topics/${topicId}`),
    enabled: topicId !== '',
    retry: false,
  });
  return topicId === '' ? t.noTopic : (data?.name ?? t.topic);
}
