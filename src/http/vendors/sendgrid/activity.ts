/** Email activity, and read-only templates. */
import { z } from 'zod';
import { listEmails } from '../../../features/activity/email-log/list-emails.ts';
import { getEmail } from '../../../features/activity/email-log/show-email.ts';
import type { EmailListItem, EmailStatus } from '../../../features/sending/emails/emails.schema.ts';
import { publicLinksOf } from '../../../features/content/links/links.ts';
import type { TemplateListItem } from '../../../features/content/templates/templates.schema.ts';
import { findTemplateId, getTemplate, listTemplates } from '../../../features/content/templates/templates.ts';
import { parseAddress, parseMailbox } from '../../../mail/mime/address.ts';
import { invalidField } from '../../../platform/errors.ts';
import { integerText, pathId, text } from '../../../platform/schema.ts';
import { collect } from '../mapping/offset-list.ts';
import { sendgridRoute } from './sendgrid-route.ts';

const DELIVERED: EmailStatus[] = ['DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED'];
const WAITING: EmailStatus[] = ['SCHEDULED', 'QUEUED', 'SENT', 'DELIVERY_DELAYED'];

const listed = z.object({
  msg_id: z.string(),
  from_email: z.string(),
  to_email: z.string(),
  subject: z.string(),
  status: z.enum(['delivered', 'not_delivered', 'processing']),
  last_event_time: z.string(),
});
const shown = listed.extend({
  opens_count: z.int(),
  clicks_count: z.int(),
  events: z.array(z.object({ event_name: z.string(), processed: z.string(), email: z.string().nullable() })),
});
const version = z.object({
  id: z.string(),
  template_id: z.string(),
  active: z.literal(1),
  name: z.string(),
  subject: z.string(),
  updated_at: z.string(),
  html_content: z.string().optional(),
  plain_content: z.string().optional(),
});
const template = z.object({
  id: z.string(),
  name: z.string(),
  generation: z.literal('dynamic'),
  updated_at: z.string(),
  versions: z.array(version),
});
const readable = { method: 'GET' as const, permission: 'full' as const };

export const activityRoutes = [
  sendgridRoute({
    ...readable,
    boundKeys: 'kept-to-domain',
    path: '/v3/messages',
    scope: 'mail.read',
    query: z.object({ limit: integerText(1, 1_000).default(10), query: text({ max: 2_000 }).optional() }),
    answer: z.object({ messages: z.array(listed) }),
    async handle({ db, caller, query: { limit: count, query } }) {
      const wanted = readQuery(query);
      const { items } = await collect(
        { offset: 0, count },
        (page) => listEmails(db, caller, { ...page, search: wanted.to_email ?? wanted.subject }),
        (email) => {
          const own = present(email) as Record<string, string>;
          return Object.entries(wanted).every(([name, value]) =>
            name === 'to_email' ? isTo(email, value) : own[name]?.toLowerCase() === value.toLowerCase(),
          );
        },
      );
      return { messages: items.map(present) };
    },
  }),
  sendgridRoute({
    ...readable,
    boundKeys: 'kept-to-domain',
    path: '/v3/messages/{messageId}',
    scope: 'mail.read',
    params: z.object({ messageId: pathId(3) }),
    answer: shown,
    async handle({ db, caller, facts, params: { messageId } }) {
      const email = await getEmail(db, caller, messageId, publicLinksOf(facts));
      return {
        ...present(email),
        opens_count: email.tracking.humanOpens,
        clicks_count: email.tracking.humanClicks,
        events: email.emailEvents.map(({ status, createdAt, recipient }) => ({
          event_name: toEventName(status),
          processed: createdAt,
          email: recipient,
        })),
      };
    },
  }),
  sendgridRoute({
    ...readable,
    path: '/v3/templates',
    scope: 'templates.read',
    query: z.object({
      // All our templates are dynamic.
      generations: text({ max: 50 }).optional(),
      page_size: integerText(1, 200).default(200),
      page_token: text({ max: 256 }).optional(),
    }),
    answer: z.object({
      result: z.array(template),
      _metadata: z.object({ count: z.int(), next: z.string().optional() }),
    }),
    async handle({ db, teamId, facts, query: { generations = 'dynamic', page_size, page_token } }) {
      if (!generations.split(',').includes('dynamic')) return { result: [], _metadata: { count: 0 } };
      const page = await listTemplates(db, teamId, { limit: page_size, cursor: page_token });
      const next =
        page.next_cursor === null
          ? {}
          : {
              next: `${facts.baseUrl}/sendgrid/v3/templates?page_size=${page_size}&page_token=${page.next_cursor}`,
            };
      return {
        result: page.items.map((item) => presentTemplate(item)),
        _metadata: { count: page.items.length, ...next },
      };
    },
  }),
  sendgridRoute({
    ...readable,
    path: '/v3/templates/{templateId}',
    scope: 'templates.read',
    params: z.object({ templateId: text({ min: 1, max: 256 }) }),
    answer: template,
    async handle({ db, teamId, params }) {
      const id = await findTemplateId(db, teamId, params.templateId.replace(/^d-(?=tpl_)/, ''));
      const found = await getTemplate(db, teamId, id);
      return presentTemplate(found, { html_content: found.html ?? '', plain_content: found.text ?? '' });
    },
  }),
];

const CONDITION = /^\s*(to_email|from_email|subject|status|msg_id)\s*=\s*["']([^"']*)["']\s*$/;

/** The part of SendGrid's query language that compares fields for equality. */
function readQuery(query: string | undefined): Record<string, string> {
  if (query === undefined) return {};
  return Object.fromEntries(
    query.split(/\bAND\b/i).map((part) => {
      const match = CONDITION.exec(part);
      if (!match)
        throw invalidField(
          'query',
          'may only compare to_email, from_email, subject, status and msg_id with =, joined by AND',
        );
      return [match[1]!, match[2]!];
    }),
  );
}

function present(email: EmailListItem) {
  return {
    msg_id: email.id,
    from_email: bare(email.from),
    to_email: bare(email.to[0] ?? ''),
    subject: email.subject,
    status: statusOf(email.status),
    last_event_time: email.updatedAt,
  };
}

/** The search also finds emails by their subject, so the recipients are compared too. */
function isTo({ to, cc, bcc }: EmailListItem, address: string): boolean {
  const key = parseAddress(address)?.key;
  return key !== undefined && [...to, ...cc, ...bcc].some((mailbox) => parseMailbox(mailbox)?.key === key);
}

function bare(mailbox: string): string {
  return parseMailbox(mailbox)?.email ?? mailbox;
}

function statusOf(status: EmailStatus): 'delivered' | 'not_delivered' | 'processing' {
  if (DELIVERED.includes(status)) return 'delivered';
  return WAITING.includes(status) ? 'processing' : 'not_delivered';
}

function toEventName(status: EmailStatus): string {
  const names: Partial<Record<EmailStatus, string>> = {
    QUEUED: 'processed',
    SCHEDULED: 'processed',
    DELIVERY_DELAYED: 'deferred',
    BOUNCED: 'bounce',
    OPENED: 'open',
    CLICKED: 'click',
    COMPLAINED: 'spam_report',
    SUPPRESSED: 'drop',
    CANCELLED: 'drop',
    FAILED: 'drop',
  };
  return names[status] ?? status.toLowerCase();
}

function presentTemplate(
  { id, name, subject, updatedAt }: TemplateListItem,
  content: { html_content?: string; plain_content?: string } = {},
) {
  const theirs = `d-${id}`;
  return {
    id: theirs,
    name,
    generation: 'dynamic' as const,
    updated_at: updatedAt,
    versions: [
      {
        id,
        template_id: theirs,
        active: 1 as const,
        name,
        subject: subject ?? '',
        updated_at: updatedAt,
        ...content,
      },
    ],
  };
}
