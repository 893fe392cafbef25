/** Notices about stalled work and failing relays, above every page, for owners and admins. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { Notice } from '../../src/features/account/notices/notices.schema.ts';
import { getJson } from '../api/client.ts';
import { texts } from '../texts/en.ts';
import { serverNotices } from '../texts/en/server-notices.ts';
import { Time } from '../ui/dates/time.tsx';

const t = texts.shell;
const LOOK_EVERY_MS = 60_000;

export function Notices() {
  const { data } = useQuery({
    queryKey: ['notices'],
    queryFn: ({ signal }) => getJson<{ items: Notice[] }>('/notices', {}, signal),
    refetchInterval: LOOK_EVERY_MS,
    retry: false,
  });
  if (!data || data.items.length === 0) return null;
  return (
    <div role="status" className="bg-warn-tint px-4 py-2 text-warn lg:px-8 print:hidden">
      <ul>
        {data.items.map((notice) => (
          <li key={`${notice.kind} ${notice.id} ${notice.message}`} className="flex gap-2 py-0.5">
            <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0" />
            <span className="min-w-0 break-words">
              {serverNotices.translate(notice.message)} {t.since} <Time at={notice.since} precise />.{' '}
              <PageLink notice={notice} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Without an ID they are about the server. */
const OF_DOMAINS = new Set<Notice['kind']>([
  'verification',
  'brake',
  'link-host',
  'certificate',
  'blocklist',
]);

/** Links to the page where the problem can be solved. */
function PageLink({ notice: { kind, id, contactBookId } }: { notice: Notice }) {
  const look = { className: 'rounded font-medium underline', children: t.openNotice[kind] };
  if (kind === 'campaign' && id) {
    return <Link to="/campaigns/$campaignId" params={{ campaignId: id }} {...look} />;
  }
  if (kind === 'import' && id && contactBookId) {
    const params = { bookId: contactBookId };
    return <Link to="/contact-books/$bookId/import" params={params} search={{ importId: id }} {...look} />;
  }
  if (OF_DOMAINS.has(kind) && id) {
    return <Link to="/domains/$domainId" params={{ domainId: id }} {...look} />;
  }
  if (kind === 'webhook' && id) {
    return <Link to="/webhooks/$webhookId" params={{ webhookId: id }} search={{}} {...look} />;
  }
  if (kind === 'automation' && id) {
    return <Link to="/automations/$automationId" params={{ automationId: id }} {...look} />;
  }
  if (kind === 'rule' && id) {
    return (
      <Link to="/mail/$mailboxId/$folder" params={{ mailboxId: id, folder: 'inbox' }} search={{}} {...look} />
    );
  }
  if (kind === 'approvals') return <Link to="/approvals" search={{}} {...look} />;
  if (kind === 'storage') return <Link to="/settings" {...look} />;
  if (OF_DOMAINS.has(kind)) return <Link to="/domains" {...look} />;
  if (kind === 'relay' || kind === 'disk' || kind === 'base-url') return <Link to="/emails" {...look} />;
  return <Link to="/contact-books" {...look} />;
}
