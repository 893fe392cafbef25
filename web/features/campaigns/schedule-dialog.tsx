/** Leads to sending in three steps: who gets it, what the check found, and when. */
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { bestHourTexts } from '../../texts/en/best-hour.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { Button } from '../../ui/button.tsx';
import { DateField } from '../../ui/dates/date-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormError, useForm, type Form } from '../../ui/form.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { OWN_ZONE, offsetOf } from '../../ui/dates/time-zone.ts';
import { showToast } from '../../ui/toasts.ts';
import { BestHourFields, bestHourValues, toBestHour, type BestHourValues } from './best-hour-fields.tsx';
import { BeforeYouSend } from './check/before-you-send.tsx';
import { useCampaignCheck } from './check/use-campaign-check.ts';
import { ZoneField } from '../../ui/dates/zone-field.tsx';
import { RecipientStep } from './send-summary.tsx';
import { SEND_STEPS, StepList, type SendStep } from './send-steps.tsx';
import { describeClockChange, momentOf, toLocal, tomorrowMorning } from '../../ui/dates/local-times.ts';

const t = campaignTexts;
/** Findings that do not prevent scheduling a campaign for later. */
const MAY_FOLLOW: ReadonlySet<string> = new Set(['no_recipients', 'no_content']);

interface ScheduleDialogProps {
  campaign: Campaign;
  /** A change of the time begins there. */
  startAt?: SendStep;
  onClose(): void;
}

export function ScheduleDialog({ campaign, startAt = 'recipients', onClose }: ScheduleDialogProps) {
  // A campaign that already has a time starts with it.
  const [time] = useState(() => campaign.scheduledAt && new Date(campaign.scheduledAt));
  const [step, setStep] = useState<SendStep>(startAt);
  const form = useForm(
    () => ({
      when: campaign.localTime ? 'local' : time === null ? 'now' : 'later',
      scheduledAt: campaign.localTime ?? (time && time > new Date() ? toLocal(time) : tomorrowMorning()),
      zone: OWN_ZONE,
      batchSize: String(campaign.batchSize),
      ...bestHourValues(campaign),
    }),
    async ({ when, scheduledAt, zone, batchSize, ...best }) => {
      const isLater = when === 'later';
      const input =
        when === 'local'
          ? { localTime: scheduledAt }
          : {
              scheduledAt: isLater ? momentOf(scheduledAt, zone).toISOString() : undefined,
              bestHour: toBestHour(best),
            };
      await schedule(campaign, { ...input, batchSize: Number(batchSize) });
      showToast(when === 'now' ? t.started : t.scheduled);
      onClose();
    },
  );
  const isNow = form.values.when === 'now';
  const running = useCampaignCheck(campaign.id);
  const blocking = running.check?.findings.filter(({ level }) => level === 'blocks') ?? [];
  // Missing content and recipients can still be added before then.
  const isBlocked = blocking.some(({ code }) => isNow || !MAY_FOLLOW.has(code));
  const at = SEND_STEPS.indexOf(step);
  const isLast = step === 'time';
  return (
    <Dialog stays title={time ? t.moveTitle : t.sendTitle} onClose={() => form.busy || onClose()}>
      <form
        onSubmit={(event) => {
          if (isLast) return form.onSubmit(event);
          event.preventDefault();
          setStep(SEND_STEPS[at + 1]!);
        }}
        className="space-y-4"
      >
        <StepList step={step} check={running.check} onStep={setStep} />
        {step === 'recipients' && <RecipientStep campaign={campaign} check={running.check} />}
        {step === 'check' && <BeforeYouSend {...running} />}
        {isLast && <TimeStep campaign={campaign} form={form} />}
        {isLast && isBlocked && (
          <p role="alert" className="rounded-lg bg-bad-tint px-4 py-3 text-bad">
            {t.blockedNow}
          </p>
        )}
        <DialogActions error={<FormError error={form.errorBeside()} />}>
          <Button disabled={form.busy} onClick={at === 0 ? onClose : () => setStep(SEND_STEPS[at - 1]!)}>
            {at === 0 ? texts.common.cancel : t.stepBack}
          </Button>
          <Button
            // Each step has a button of its own, so that a double-click does not press the next one.
            key={step}
            type="submit"
            look="primary"
            busy={form.busy}
            disabled={isLast && isBlocked}
          >
            {isLast ? nameAction(form.values) : t.continue}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

type SendValues = { when: string; scheduledAt: string; zone: string; batchSize: string } & BestHourValues;

function nameAction({ when, bestHour }: SendValues): string {
  if (when !== 'now') return t.scheduleAction;
  return bestHour ? bestHourTexts.begin : t.sendNow;
}

function TimeStep({ campaign, form }: { campaign: Campaign; form: Form<SendValues> }) {
  const { when, scheduledAt, zone } = form.values;
  return (
    <>
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
      {when === 'local' && (
        <DateField label={t.localDate} hint={t.localHint} withTime {...form.text('scheduledAt')} required />
      )}
      {when === 'later' && (
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
      {when !== 'local' && campaign.variants === null && (
        <BestHourFields form={form} hasBegun={!campaign.editable} />
      )}
      <details>
        <summary className="w-fit cursor-pointer rounded text-soft hover:text-ink">{t.advanced}</summary>
        <TextField
          className="mt-3"
          label={t.batchSize}
          hint={t.batchSizeHint}
          type="number"
          min={1}
          max={100_000}
          {...form.text('batchSize')}
          required
        />
      </details>
    </>
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
