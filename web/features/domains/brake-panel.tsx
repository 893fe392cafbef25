/** Shown while the brake of a domain is on, or nearly so. An admin releases it with a reason. */
import { OctagonPause } from 'lucide-react';
import { useState } from 'react';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { sendJson } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { brakeTexts as t } from '../../texts/en/brake.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { showToast } from '../../ui/toasts.ts';

const MAX_REASON = 500;

export function BrakePanel({ domain, isAdmin }: { domain: Domain; isAdmin: boolean }) {
  const { status, reason, since, campaignId } = domain.brake;
  const [isReleasing, setIsReleasing] = useState(false);
  if (status === 'OFF') return null;
  const isOn = status === 'ON';
  return (
    <section
      aria-label={t.title}
      className={`mb-8 flex flex-wrap items-start gap-x-4 gap-y-3 rounded-lg px-4 py-3 ${isOn ? 'bg-bad-tint' : 'bg-warn-tint'}`}
    >
      <OctagonPause aria-hidden className={`mt-0.5 size-5 shrink-0 ${isOn ? 'text-bad' : 'text-warn'}`} />
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <h2 className="font-semibold">{isOn ? t.on : t.warning}</h2>
        <p>{reason}</p>
        <p className="text-soft">
          {isOn ? t.onMeans : t.warningMeans}{' '}
          {since && (
            <>
              {t.since} <Time at={since} />.
            </>
          )}
        </p>
        {campaignId && (
          <p>
            <TextLink to="/campaigns/$campaignId" params={{ campaignId }}>
              {t.campaign}
            </TextLink>
          </p>
        )}
      </div>
      {isOn && isAdmin && <Button onClick={() => setIsReleasing(true)}>{t.release}</Button>}
      {isReleasing && <ReleaseDialog domainId={domain.id} onClose={() => setIsReleasing(false)} />}
    </section>
  );
}

function ReleaseDialog({ domainId, onClose }: { domainId: number; onClose(): void }) {
  const form = useForm({ reason: '' }, async ({ reason }) => {
    await sendJson('POST', `/domains/${domainId}/release-brake`, { reason: reason.trim() });
    await refresh('domains');
    showToast(t.released);
    onClose();
  });
  return (
    <FormDialog
      title={t.releaseTitle}
      action={t.release}
      form={form}
      disabled={form.values.reason.trim() === ''}
      onClose={onClose}
    >
      <p className="text-soft">{t.releaseText}</p>
      <TextAreaField
        label={t.reason}
        hint={t.reasonHint}
        maxLength={MAX_REASON}
        rows={3}
        {...form.text('reason')}
      />
    </FormDialog>
  );
}
