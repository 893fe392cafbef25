import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { KeyRound, Pencil, Send, Trash2, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '../../../src/features/webhooks/webhooks.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { webhookTexts } from '../../texts/en/webhooks.ts';
import { act } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { Page } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Time } from '../../ui/dates/time.tsx';
import { useDeleteAndLeave } from '../../ui/dialogs/use-delete-and-leave.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { CallLog } from './call-log.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WEBHOOK_TONES } from './webhook-tones.ts';

const t = webhookTexts;
const back = { to: '/webhooks', label: t.title } as const;

export function WebhookPage() {
  return (
    <AdminsOnly title={t.title} icon={WebhookIcon} texts={t}>
      <OneWebhook />
    </AdminsOnly>
  );
}

function OneWebhook() {
  const { webhookId } = useParams({ from: '/app/webhooks/$webhookId' });
  const webhook = useQuery({
    queryKey: ['webhooks', 'one', webhookId],
    queryFn: () => getJson<Webhook>(`/webhooks/${webhookId}`),
  });
  return (
    <PageOf query={webhook} title={t.title} back={back}>
      {(data) => <WebhookDetail webhook={data} />}
    </PageOf>
  );
}

function WebhookDetail({ webhook }: { webhook: Webhook }) {
  const path = `/webhooks/${webhook.id}`;
  const isActive = webhook.status === 'active';
  const setStatus = (status: 'active' | 'paused') => sendJson('PATCH', path, { status });
  return (
    <Page
      wide
      title={webhook.shownUrl}
      mark={<Badge tone={WEBHOOK_TONES[webhook.status]}>{t.statuses[webhook.status]}</Badge>}
      description={
        <>
          {webhook.description && <p>{webhook.description}</p>}
          <p>{webhook.events.includes('*') ? t.allEvents : webhook.events.join(', ')}</p>
          <p>
            {t.format}: {t.formats[webhook.format]}
          </p>
          {webhook.publicKey && (
            <p>
              {t.publicKey}: <code className="text-[0.8125rem] break-all">{webhook.publicKey}</code>
            </p>
          )}
        </>
      }
      back={back}
      actions={
        <>
          <WebhookMenu webhook={webhook} />
          <Button
            onClick={() =>
              void act(() => setStatus(isActive ? 'paused' : 'active'), {
                done: t.changed,
                undo: () => setStatus(webhook.status === 'active' ? 'active' : 'paused'),
                refreshes: ['webhooks'],
              })
            }
          >
            {isActive ? t.pause : t.resume}
          </Button>
          <Button
            look="primary"
            icon={Send}
            disabled={!isActive}
            onClick={() => void run(() => sendJson('POST', `${path}/test`), t.testSent)}
          >
            {t.test}
          </Button>
        </>
      }
    >
      {webhook.notice && <Notice webhook={webhook} />}
      <CallLog webhookId={webhook.id} />
    </Page>
  );
}

function run(work: () => Promise<unknown>, done: string): Promise<void> {
  return act(work, { done, refreshes: ['webhooks'] });
}

function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const deleteAndLeave = useDeleteAndLeave('/webhooks', 'webhooks');
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = `/webhooks/${webhook.id}`;
  const close = () => setOpen(null);
  return (
    <>
      <MoreMenu>
        <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
          {t.edit}
        </MenuItem>
        <MenuItem icon={KeyRound} onSelect={() => setOpen('rotate')}>
          {t.rotate}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
          {t.delete}
        </MenuItem>
      </MoreMenu>
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
      {open === 'rotate' && (
        <ConfirmDialog
          title={t.rotateTitle}
          text={t.rotateText}
          action={t.rotate}
          run={async () => {
            setSecret((await sendJson<WebhookWithSecret>('POST', `${path}/rotate-secret`)).secret);
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={t.deleteTitle}
          text={t.deleteText}
          action={t.delete}
          run={() => deleteAndLeave(path)}
          done={t.deleted}
          onClose={close}
        />
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

/** Explains why the webhook is paused or failing. The log below shows how the last delivery failed. */
function Notice({ webhook: { pausedReason, failures, failingSince } }: { webhook: Webhook }) {
  return (
    <p className="mb-6 rounded-lg bg-warn-tint px-4 py-3 text-warn">
      {pausedReason === 'gone' ? (
        t.noticeGone
      ) : (
        <>
          {t.noticeFailing(failures)} {failingSince && <Time at={failingSince} precise />}.{' '}
          {pausedReason === 'failures' && t.noticePaused}
        </>
      )}
    </p>
  );
}
