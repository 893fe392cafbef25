import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { refresh, SESSION_KEY } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { peopleTexts } from '../../texts/en/people.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useForm, useSubmission } from '../../ui/form.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';
import { leaveSession, useIsAdmin, useSession } from './session.ts';
import { IdentitiesSection } from './identities-section.tsx';
import { LanguageSection } from './language-section.tsx';
import { RetentionSection } from './retention-section.tsx';
import { SignOnSection } from './sign-on-section.tsx';
import { StorageSection } from './storage-section.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

const PasskeysSection = lazy(async () => ({
  default: (await import('./passkeys-section.tsx')).PasskeysSection,
}));
const t = peopleTexts.settings;

export function SettingsPage() {
  const session = useSession();
  const isAdmin = useIsAdmin();
  return (
    <Page title={t.title}>
      <div className="max-w-xl">
        {isAdmin && (
          <Section title={t.teamTitle}>
            <NameForm label={t.teamName} initial={session.team.name} path="/team" />
          </Section>
        )}
        {isAdmin && <StorageSection />}
        {session.role === 'owner' && <RetentionSection />}
        {session.role === 'owner' && <SignOnSection />}
        <Section title={t.profile} description={session.user.email}>
          <NameForm label={t.name} initial={session.user.name} path="/auth/me" />
        </Section>
        <LanguageSection />
        {!session.user.proven && (
          <Section title={t.proofTitle} description={t.proofLead(session.user.email)}>
            <ProofForm email={session.user.email} />
          </Section>
        )}
        <Section title={t.passwordTitle} description={t.passwordLead}>
          <PasswordForm />
        </Section>
        <TwoFactorSection />
        <Suspense fallback={<Skeleton className="h-24" />}>
          <PasskeysSection />
        </Suspense>
        <IdentitiesSection />
        <Section title={t.sessions} description={t.sessionsText}>
          <SignOutEverywhere />
        </Section>
      </div>
    </Page>
  );
}

function NameForm({ label, initial, path }: { label: string; initial: string; path: string }) {
  const form = useForm({ name: initial }, async (values) => {
    await sendJson('PATCH', path, values);
    await refresh(...SESSION_KEY);
    showToast(texts.common.saved);
  });
  return (
    <Card>
      <form onSubmit={form.onSubmit} className="flex flex-wrap items-end gap-3">
        <TextField className="flex-1 basis-56" label={label} {...form.text('name')} required />
        <Button type="submit" busy={form.busy} disabled={form.values.name.trim() === initial}>
          {texts.common.save}
        </Button>
      </form>
      <FormError error={form.errorBeside()} />
    </Card>
  );
}

function ProofForm({ email }: { email: string }) {
  const [asked, setAsked] = useState<{ canSend: boolean } | null>(null);
  const { busy, error, onSubmit } = useSubmission(async () => {
    setAsked(await sendJson<{ canSend: boolean }>('POST', '/auth/forgotten', { email }));
  });
  if (asked?.canSend) return <p role="status">{t.proofSent(email)}</p>;
  if (asked) {
    const forgotten = peopleTexts.forgotten;
    return (
      <>
        <p className="mb-2">{forgotten.cannotSend}</p>
        <CopyLine text={forgotten.command(email)} label={forgotten.copyCommand} />
      </>
    );
  }
  return (
    <form onSubmit={onSubmit}>
      <Button type="submit" busy={busy}>
        {t.proofAction}
      </Button>
      <FormError error={error} />
    </form>
  );
}

function PasswordForm() {
  const { user } = useSession();
  const form = useForm({ currentPassword: '', newPassword: '' }, async (values) => {
    await sendJson('PATCH', '/auth/me', values);
    form.set({ currentPassword: '', newPassword: '' });
    showToast(t.passwordChanged);
  });
  return (
    <Card>
      <form onSubmit={form.onSubmit} className="space-y-4">
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <TextField
          label={t.currentPassword}
          type="password"
          {...form.text('currentPassword')}
          autoComplete="current-password"
          required
        />
        <TextField
          label={t.newPassword}
          hint={peopleTexts.setup.passwordHint}
          type="password"
          {...form.text('newPassword')}
          autoComplete="new-password"
          required
        />
        <FormError error={form.errorBeside()} />
        <Button type="submit" busy={form.busy}>
          {t.changePassword}
        </Button>
      </form>
    </Card>
  );
}

function SignOutEverywhere() {
  const navigate = useNavigate();
  const { busy, error, onSubmit } = useSubmission(async () => {
    await sendJson('POST', '/auth/sign-out-everywhere');
    await navigate({ to: '/sign-in' });
    leaveSession();
  });
  return (
    <form onSubmit={onSubmit}>
      <Button type="submit" busy={busy}>
        {t.signOutEverywhere}
      </Button>
      <FormError error={error} />
    </form>
  );
}
