import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { sendJson } from '../../api/client.ts';
import { SESSION_KEY } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { Card, Page, Section } from '../../ui/page.tsx';
import { showToast } from '../../ui/toasts.ts';
import { leaveSession, useIsAdmin, useSession } from './session.ts';
import { TwoFactorSection } from './two-factor-section.tsx';

const t = texts.people.settings;

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
        <Section title={t.profile} description={session.user.email}>
          <NameForm label={t.name} initial={session.user.name} path="/auth/me" />
        </Section>
        <Section title={t.passwordTitle} description={t.passwordLead}>
          <PasswordForm />
        </Section>
        <TwoFactorSection />
        <Section title={t.sessions} description={t.sessionsText}>
          <SignOutEverywhere />
        </Section>
      </div>
    </Page>
  );
}

function NameForm({ label, initial, path }: { label: string; initial: string; path: string }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(initial);
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    await sendJson('PATCH', path, { name });
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY });
    showToast(texts.common.saved);
  });
  return (
    <Card>
      <form onSubmit={onSubmit} className="flex flex-wrap items-end gap-3">
        <TextField
          className="flex-1 basis-56"
          label={label}
          value={name}
          required
          error={errorOf('name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" busy={busy} disabled={name.trim() === initial}>
          {texts.common.save}
        </Button>
      </form>
      <FormError error={errorBeside()} />
    </Card>
  );
}

function PasswordForm() {
  const { user } = useSession();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const { busy, errorOf, errorBeside, onSubmit } = useSubmission(async () => {
    await sendJson('PATCH', '/auth/me', { currentPassword, newPassword });
    setCurrentPassword('');
    setNewPassword('');
    showToast(t.passwordChanged);
  });
  return (
    <Card>
      <form onSubmit={onSubmit} className="space-y-4">
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <TextField
          label={t.currentPassword}
          type="password"
          autoComplete="current-password"
          value={currentPassword}
          required
          error={errorOf('currentPassword')}
          onChange={(event) => setCurrentPassword(event.target.value)}
        />
        <TextField
          label={t.newPassword}
          hint={texts.people.setup.passwordHint}
          type="password"
          autoComplete="new-password"
          value={newPassword}
          required
          error={errorOf('newPassword')}
          onChange={(event) => setNewPassword(event.target.value)}
        />
        <FormError error={errorBeside()} />
        <Button type="submit" busy={busy}>
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
