/** App passwords of a mailbox, and the settings for email apps. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Download, KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type {
  AppPassword,
  CreatedAppPassword,
  MailSettings,
} from '../../../../src/features/identity/app-passwords/app-passwords.schema.ts';
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import { apiUrl, getJson } from '../../../api/client.ts';
import { sendOnce } from '../../../api/send-once.ts';
import { deleteAndRefresh } from '../../../api/delete-and-refresh.ts';
import { refresh } from '../../../api/query-client.ts';
import { emailAppTexts as t } from '../../../texts/en/email-apps.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { CopyLine } from '../../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../../ui/dialogs/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormError, useForm } from '../../../ui/form.tsx';
import { Row, RowName, Rows } from '../../../ui/lists/rows.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Time } from '../../../ui/dates/time.tsx';
import { texts } from '../../../texts/en.ts';
import { AppSettings } from './app-settings.tsx';

function passwordsQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['app-passwords', mailboxId],
    queryFn: async () =>
      (await getJson<{ items: AppPassword[] }>(`/mailboxes/${mailboxId}/app-passwords`)).items,
  });
}

export function EmailAppsDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose(): void }) {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedAppPassword | null>(null);
  const settings = useQuery({
    queryKey: ['mail-settings', mailbox.id],
    queryFn: () => getJson<MailSettings>(`/mailboxes/${mailbox.id}/mail-settings`),
  });
  return (
    <Dialog wide stays title={t.title} description={t.lead} onClose={onClose}>
      {created ? (
        <CreatedPassword created={created} onDone={() => setCreated(null)} />
      ) : isCreating ? (
        <NewPassword mailboxId={mailbox.id} onCreated={setCreated} onDone={() => setCreating(false)} />
      ) : (
        <Passwords mailboxId={mailbox.id} onAdd={() => setCreating(true)} />
      )}
      {settings.data && <AppSettings settings={settings.data} />}
      <p className="mt-4">
        <a
          className="inline-flex items-center gap-1.5 font-medium text-brass underline-offset-4 hover:underline"
          href={apiUrl(`/mailboxes/${mailbox.id}/apple-profile`)}
          download
        >
          <Download aria-hidden className="size-4" />
          {t.profile}
        </a>
      </p>
      <p className="mt-1 text-[0.8125rem] text-soft">{t.profileText}</p>
    </Dialog>
  );
}

function Passwords({ mailboxId, onAdd }: { mailboxId: string; onAdd(): void }) {
  const passwords = useQuery(passwordsQuery(mailboxId));
  const [revoked, setRevoked] = useState<AppPassword | null>(null);
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{t.passwords}</h3>
        <Button icon={Plus} onClick={onAdd}>
          {t.create}
        </Button>
      </div>
      <Rows
        label={t.passwords}
        query={passwords}
        items={(data) => data}
        empty={<EmptyState icon={KeyRound} title={t.none} text={t.noneText} />}
      >
        {(password) => (
          <Row key={password.id}>
            <RowName name={password.name} note={<LastUse password={password} />} />
            <IconButton
              icon={Trash2}
              label={t.revokeNamed(password.name)}
              onClick={() => setRevoked(password)}
            />
          </Row>
        )}
      </Rows>
      {revoked && (
        <ConfirmDialog
          title={t.revokeTitle(revoked.name)}
          text={t.revokeText}
          action={t.revoke}
          run={() =>
            deleteAndRefresh(
              `/mailboxes/${mailboxId}/app-passwords/${revoked.id}`,
              ...passwordsQuery(mailboxId).queryKey,
            )
          }
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  );
}

function LastUse({
  password: { person, last_used_at: at, last_used_from: from },
}: {
  password: AppPassword;
}) {
  const whose = person === null ? '' : `${person} · `;
  if (at === null) return <>{`${whose}${t.neverUsed}`}</>;
  return (
    <>
      {`${whose}${t.lastUsed} `}
      <Time at={at} />
      {from === null ? '' : ` · ${from}`}
    </>
  );
}

function NewPassword(props: {
  mailboxId: string;
  onCreated(created: CreatedAppPassword): void;
  onDone(): void;
}) {
  const { mailboxId, onCreated, onDone } = props;
  const form = useForm({ name: '' }, async ({ name }) => {
    const created = await sendOnce<CreatedAppPassword>(`/mailboxes/${mailboxId}/app-passwords`, {
      name,
    });
    await refresh(...passwordsQuery(mailboxId).queryKey);
    onDone();
    onCreated(created);
  });
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <TextField autoFocus label={t.name} hint={t.nameHint} {...form.text('name')} autoComplete="off" />
      <FormError error={form.errorBeside()} />
      <DialogActions>
        <Button onClick={onDone}>{texts.common.cancel}</Button>
        <Button type="submit" look="primary" busy={form.busy}>
          {t.create}
        </Button>
      </DialogActions>
    </form>
  );
}

function CreatedPassword({ created, onDone }: { created: CreatedAppPassword; onDone(): void }) {
  return (
    <>
      <h3 className="mb-1 font-semibold">{t.createdTitle(created.name)}</h3>
      <p className="mb-3 text-[0.8125rem] text-soft">{t.createdText}</p>
      <CopyLine text={created.password} label={t.copyPassword} />
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          {texts.common.done}
        </Button>
      </DialogActions>
    </>
  );
}
