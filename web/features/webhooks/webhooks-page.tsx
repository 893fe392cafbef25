import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import type { Webhook } from '../../../src/features/webhooks/webhooks.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/badge.tsx';
import { CursorTable } from '../../ui/cursor-table.tsx';
import { CreateButton } from '../../ui/list-head.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminsOnly } from '../people/admins-only.tsx';
import { WEBHOOK_TONES } from './webhook-tones.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const t = texts.webhooks;

export function WebhooksPage() {
  return (
    <AdminsOnly title={t.title} icon={WebhookIcon} texts={t}>
      <Webhooks />
    </AdminsOnly>
  );
}

function Webhooks() {
  const webhooks = useInfiniteQuery(cursorList<Webhook>(['webhooks', 'list'], '/webhooks'));
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={t.title}
      description={t.lead}
      actions={<CreateButton onClick={() => setCreating(true)}>{t.create}</CreateButton>}
    >
      <CursorTable
        label={t.title}
        query={webhooks}
        keyOf={({ id }) => id}
        columns={[
          {
            name: t.url,
            width: 'minmax(0, 3fr)',
            cell: (webhook) => (
              <Link
                to="/webhooks/$webhookId"
                params={{ webhookId: webhook.id }}
                search={{}}
                className="rounded font-medium hover:underline"
              >
                {webhook.url}
              </Link>
            ),
          },
          {
            name: t.status,
            width: '6rem',
            cell: (webhook) => (
              <Badge tone={WEBHOOK_TONES[webhook.status]}>{t.statuses[webhook.status]}</Badge>
            ),
          },
          {
            name: t.events,
            width: 'minmax(0, 1fr)',
            wideOnly: true,
            cell: ({ events }) => (events.includes('*') ? t.allEvents : t.eventCount(events.length)),
          },
          {
            name: texts.common.created,
            width: '7rem',
            wideOnly: true,
            cell: (webhook) => (
              <span className="text-soft">
                <Time at={webhook.createdAt} />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon={WebhookIcon} title={t.emptyTitle}>
            {t.emptyText}
          </EmptyState>
        }
      />
      {creating && <WebhookDialog webhook={null} onClose={() => setCreating(false)} />}
    </Page>
  );
}
