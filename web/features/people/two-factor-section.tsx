import { lazy, Suspense, useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { refresh, SESSION_KEY } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { useForm } from '../../ui/form.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { useSession } from './session.ts';

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }));
const t = peopleTexts.settings;

export function TwoFactorSection() {
  const { user } = useSession();
  const [open, setOpen] = useState<'start' | 'stop' | null>(null);
  return (
    <Section title={t.totpTitle}>
      <Card className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex-1 basis-56 text-soft">{user.totpEnabled ? t.totpOn : t.totpOff}</p>
        <Button onClick={() => setOpen(user.totpEnabled ? 'stop' : 'start')}>
          {user.totpEnabled ? t.totpStop : t.totpStart}
        </Button>
      </Card>
      {open === 'start' && <StartDialog onClose={() => setOpen(null)} />}
      {open === 'stop' && <StopDialog onClose={() => setOpen(null)} />}
    </Section>
  );
}

type Step =
  { at: 'password' } | { at: 'scan'; secret: string; uri: string } | { at: 'done'; codes: string[] };

function StartDialog({ onClose }: { onClose(): void }) {
  const [step, setStep] = useState<Step>({ at: 'password' });
  switch (step.at) {
    case 'password':
      return (
        <PasswordDialog
          title={t.totpTitle}
          text={t.totpOff}
          action={t.totpContinue}
          onClose={onClose}
          run={async (password) => {
            const path = '/auth/totp/start';
            setStep({
              at: 'scan',
              ...(await sendJson<{ secret: string; uri: string }>('POST', path, { password })),
            });
          }}
        />
      );
    case 'scan':
      return <ScanDialog {...step} onClose={onClose} onDone={(codes) => setStep({ at: 'done', codes })} />;
    case 'done':
      return (
        <RecoveryCodesDialog
          title={t.totpDone}
          description={t.totpRecovery}
          codes={step.codes}
          onClose={onClose}
        />
      );
  }
}

interface ScanDialogProps {
  secret: string;
  uri: string;
  onClose(): void;
  onDone(codes: string[]): void;
}

function ScanDialog({ secret, uri, onClose, onDone }: ScanDialogProps) {
  const form = useForm({ code: '' }, async (values) => {
    const path = '/auth/totp/confirm';
    const { recoveryCodes } = await sendJson<{ recoveryCodes: string[] }>('POST', path, values);
    await refresh(...SESSION_KEY);
    onDone(recoveryCodes);
  });
  return (
    <FormDialog
      title={t.totpTitle}
      description={t.totpScan}
      form={form}
      action={t.totpConfirm}
      onClose={onClose}
    >
      <Suspense fallback={<Skeleton className="mx-auto size-48" />}>
        <QrCode text={uri} label={t.totpQr} />
      </Suspense>
      <div>
        <p className="mb-1.5 text-soft">{t.totpSecret}</p>
        <CopyLine text={secret} label={texts.common.copy} />
      </div>
      <TextField
        label={t.totpCode}
        {...form.text('code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
    </FormDialog>
  );
}

function StopDialog({ onClose }: { onClose(): void }) {
  return (
    <PasswordDialog
      title={t.totpStop}
      text={t.totpStopText}
      action={t.totpStop}
      onClose={onClose}
      run={async (password) => {
        await sendJson('DELETE', '/auth/totp', { password });
        await refresh(...SESSION_KEY);
        showToast(t.totpStopped);
        onClose();
      }}
    />
  );
}

interface PasswordDialogProps {
  title: string;
  text: string;
  action: string;
  run(password: string): Promise<void>;
  onClose(): void;
}

function PasswordDialog({ text, run, ...dialog }: PasswordDialogProps) {
  const form = useForm({ password: '' }, ({ password }) => run(password));
  return (
    <FormDialog {...dialog} description={text} form={form}>
      <TextField
        label={t.totpPassword}
        type="password"
        autoComplete="current-password"
        {...form.text('password')}
        autoFocus
        required
      />
    </FormDialog>
  );
}
