import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { DateField } from '../../ui/dates/date-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { OWN_ZONE, offsetOf } from '../../ui/dates/time-zone.ts';
import { showToast } from '../../ui/toasts.ts';
import { BeforeYouSend } from './check/before-you-send.tsx';
import { useCampaignCheck } from './check/use-campaign-check.ts';
import { ZoneField } from '../../ui/dates/zone-field.tsx';
import { SendSummary } from './send-summary.tsx';
import { describeClockChange, momentOf, toLocal, tomorrowMorning } from '../../ui/dates/local-times.ts';

const t = texts.campaigns;
/** Findings that do not prevent scheduling a campaign for later. */
const MAY_FOLLOW: ReadonlySet<string> = new Set(['no_recipients', 'no_content']);

export function ScheduleDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  // A campaign that already has a time starts with it.
  const [time] = useState(() => campaign.scheduledAt && new Date(campaign.scheduledAt));
  const start = () => ({
    when: campaign.localTime ? 'local' : time === null ? 'now' : 'later',
    scheduledAt: campaign.localTime ?? (time && time > new Date() ? toLocal(time) : tomorrowMorning()),
    zone: OWN_ZONE,
    batchSize: String(campaign.batchSize),
  });
  const form = useForm(start, async ({ scheduledAt: local, batchSize }) => {
    const input = isLocal
      ? { localTime: local }
      : { scheduledAt: isLater ? momentOf(local, zone).toISOString() : undefined };
    await schedule(campaign, { ...input, batchSize: Number(batchSize) });
    showToast(isLater || isLocal ? t.scheduled : t.started);
    onClose();
  });
  const { when, scheduledAt, zone } = form.values;
  const isLater = when === 'later';
  const isLocal = when === 'local';
  const running = useCampaignCheck(campaign.id);
  const blocking = running.check?.findings.filter(
    // Missing content and recipients can still be added before then.
    ({ level, code }) => level === 'blocks' && !((isLater || isLocal) && MAY_FOLLOW.has(code)),
  );
  return (
    <FormDialog
      title={time ? t.moveTitle : t.sendTitle}
      form={form}
      action={isLater || isLocal ? t.scheduleAction : t.sendNow}
      disabled={(blocking?.length ?? 0) > 0}
      onClose={onClose}
    >
      <SendSummary campaign={campaign} check={running.check} />
      {campaign.status === 'PAUSED' && (
        <p className="rounded-lg bg-warn-tint px-4 py-3 text-warn">{t.pausedIsResumed}</p>
      )}
      <SelectField
        label={t.when}
        {...form.text('when')}
        options={[
          ['now', t.now],
          ['later', t.later],
          // The recipients of an A/B test are compared with each other, so they get it together.
          ...(campaign.variants === null ? [['local', t.local] as const] : []),
        ]}
      />
      {isLocal && (
        <DateField label={t.localDate} hint={t.localHint} withTime {...form.text('scheduledAt')} required />
      )}
      {isLater && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <DateField
            label={t.date(offsetOf(momentOf(scheduledAt, zone), zone))}
            hint={describeClockChange(scheduledAt, zone)}
            withTime
            {...form.text('scheduledAt')}
            required
          />
          <ZoneField label={t.zone} {...form.text('zone')} at={momentOf(scheduledAt, zone)} />
        </div>
      )}
      <TextField
        label={t.batchSize}
        hint={t.batchSizeHint}
        type="number"
        min={1}
        max={100_000}
        {...form.text('batchSize')}
        required
      />
      <BeforeYouSend {...running} />
    </FormDialog>
  );
}

async function schedule({ id }: Campaign, input: object): Promise<void> {
  try {
    await sendJson('POST', `/campaigns/${id}/schedule`, input);
  } finally {
    // If the request was rejected, someone else may have sent the campaign. The refetch shows that.
    await refresh('campaigns');
  }
}
