import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useSubmission } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { OWN_ZONE, offsetOf } from '../../ui/time-zone.ts';
import { showToast } from '../../ui/toasts.ts';
import { SendSummary } from './send-summary.tsx';
import { allZones, momentOf, toLocal, tomorrowMorning } from './time-zones.ts';

const t = texts.campaigns;

export function ScheduleDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const queryClient = useQueryClient();
  // One that has a time already is opened to change it.
  const [time] = useState(() => campaign.scheduledAt && new Date(campaign.scheduledAt));
  const [later, setLater] = useState(time !== null);
  const [local, setLocal] = useState(() => (time && time > new Date() ? toLocal(time) : tomorrowMorning()));
  const [zone, setZone] = useState(OWN_ZONE);
  const [batchSize, setBatchSize] = useState(String(campaign.batchSize));
  const form = useSubmission(async () => {
    const when = later ? { scheduledAt: momentOf(local, zone).toISOString() } : {};
    await sendJson('POST', `/campaigns/${campaign.id}/schedule`, { ...when, batchSize: Number(batchSize) });
    await queryClient.invalidateQueries({ queryKey: ['campaigns'] });
    showToast(later ? t.scheduled : t.started);
    onClose();
  });
  return (
    <FormDialog
      title={time ? t.moveTitle : t.sendTitle}
      form={form}
      action={later ? t.scheduleAction : t.sendNow}
      onClose={onClose}
    >
      <SendSummary campaign={campaign} />
      {campaign.status === 'PAUSED' && (
        <p className="rounded-lg bg-warn-tint px-4 py-3 text-warn">{t.pausedIsResumed}</p>
      )}
      <SelectField
        label={t.when}
        value={later ? 'later' : 'now'}
        onChange={(event) => setLater(event.target.value === 'later')}
      >
        <option value="now">{t.now}</option>
        <option value="later">{t.later}</option>
      </SelectField>
      {later && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t.date(offsetOf(momentOf(local, zone), zone))}
            type="datetime-local"
            value={local}
            required
            error={form.errorOf('scheduledAt')}
            onChange={(event) => setLocal(event.target.value)}
          />
          <SelectField label={t.zone} value={zone} onChange={(event) => setZone(event.target.value)}>
            {allZones().map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
        </div>
      )}
      <TextField
        label={t.batchSize}
        hint={t.batchSizeHint}
        type="number"
        min={1}
        max={100_000}
        value={batchSize}
        required
        error={form.errorOf('batchSize')}
        onChange={(event) => setBatchSize(event.target.value)}
      />
    </FormDialog>
  );
}
