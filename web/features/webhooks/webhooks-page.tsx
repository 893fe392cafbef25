import { useInfiniteQuery } from '@tanstack/react-query';
import { Webhook as WebhookIcon } from 'lucide-react';
import type { Webhook } from '../../../src/features/webhooks/webhooks.schema.ts';
import { cursorList } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { webhookTexts } from '../../texts/en/webhooks.ts';
import { Badge } from '../../ui/badge.tsx';
import { timeColumn, type Column } from '../../ui/lists/columns.tsx';
import { CursorTable } from '../../ui/lists/cursor-table.tsx';
import { CreateFirst, ListPage } from '../../ui/lists/list-page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { AdminsOnly } from '../people/admins-only.tsx';
import { WEBHOOK_TONES } from './webhook-tones.ts';
import { WebhookDialog } from './webhook-dialog.tsx';

const t = webhookTexts;

const COLUMNS: Column<Webhook>[] = [
  {
    name: t.url,
    width: 3,
    cell: ({ id, shownUrl, description }) => (
      <>
        <TextLink to="/webhooks/$webhookId" params={{ webhookId: id }} search={{}}>
          {shownUrl}
        </TextLink>
        {description && <div className="truncate text-[0.8125rem] text-soft">{description}</div>}
      </>
    ),
  },
  {
    name: t.status,
    width: '6rem',
    cell: ({ status }) => <Badge tone={WEBHOOK_TONES[status]}>{t.statuses[status]}</Badge>,
  },
  {
    name: t.events,
    width: 1,
    wideOnly: true,
    cell: ({ events }) => (events.includes('*') ? t.allEvents : t.eventCount(events.length)),
  },
  timeColumn(texts.common.created, ({ createdAt }) => createdAt),
];

export function WebhooksPage() {
  return (
    <AdminsOnly title={t.title} icon={WebhookIcon} texts={t}>
      <Webhooks />
    </AdminsOnly>
  );
}

function Webhooks() {
  const webhooks = useInfiniteQuery(cursorList<Webhook>(['webhooks', 'list'], '/webhooks'));
  return (
    <ListPage
      title={t.title}
      guide="guides/webhooks"
      description={t.lead}
      create={{ label: t.create, dialog: (close) => <WebhookDialog webhook={null} onClose={close} /> }}
    >
      <CursorTable
        label={t.title}
        query={webhooks}
        columns={COLUMNS}
        empty={
          <EmptyState
            icon={WebhookIcon}
            title={t.emptyTitle}
            text={t.emptyText}
            action={<CreateFirst>{t.first}</CreateFirst>}
          />
        }
      />
    </ListPage>
  );
}
