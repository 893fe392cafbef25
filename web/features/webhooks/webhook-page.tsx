import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pencil, Send, Trash2, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '../../../src/features/webhooks/webhooks.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toasts.ts';
import { AdminsOnly } from '../people/admins-only.tsx';
import { CallLog } from './call-log.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { WEBHOOK_TONES } from './webhook-tones.ts';

const t = texts.webhooks;
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
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = `/webhooks/${webhook.id}`;
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['webhooks'] });

  async function run(work: () => Promise<unknown>, done: string): Promise<void> {
    try {
      await work();
      showToast(done);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await refresh();
  }

  const isActive = webhook.status === 'active';
  return (
    <Page
      wide
      title={webhook.url}
      mark={<Badge tone={WEBHOOK_TONES[webhook.status]}>{t.statuses[webhook.status]}</Badge>}
      description={
        <>
          {webhook.description && <p>{webhook.description}</p>}
          <p>{webhook.events.includes('*') ? t.allEvents : webhook.events.join(', ')}</p>
        </>
      }
      back={back}
      actions={
        <>
          <Menu trigger={<IconButton icon={Ellipsis} label={texts.common.more} className="size-9" />}>
            <MenuItem icon={Pencil} onSelect={() => setOpen('edit')}>
              {t.edit}
            </MenuItem>
            <MenuItem icon={KeyRound} onSelect={() => setOpen('rotate')}>
              {t.rotate}
            </MenuItem>
            <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
              {t.delete}
            </MenuItem>
          </Menu>
          <Button
            onClick={() =>
              void run(() => sendJson('PATCH', path, { status: isActive ? 'paused' : 'active' }), t.changed)
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
      {open === 'edit' && <WebhookDialog webhook={webhook} onClose={() => setOpen(null)} />}
      {open === 'rotate' && (
        <ConfirmDialog
          title={t.rotateTitle}
          action={t.rotate}
          onClose={() => setOpen(null)}
          run={async () => {
            setSecret((await sendJson<WebhookWithSecret>('POST', `${path}/rotate-secret`)).secret);
          }}
        >
          <p>{t.rotateText}</p>
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={t.deleteTitle}
          action={t.delete}
          onClose={() => setOpen(null)}
          run={async () => {
            await sendJson('DELETE', path);
            await navigate({ to: '/webhooks' });
            await refresh();
            showToast(t.deleted);
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
      {secret !== null && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

/** The server's notice in words of this page: the log below tells how the last call failed. */
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
