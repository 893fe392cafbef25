/** Tools that tell what became of an email, and how the domains are. */
import { z } from 'zod';
import type { DomainHealth } from '../../../features/deliverability/health/health.schema.ts';
import type { Domain } from '../../../features/sending/domains/domains.schema.ts';
import { fencedText, untrustedShape, type Fence } from './fence.ts';
import { person, presentPeople, presentPerson, someId } from './shapes.ts';
import { READS_OUTSIDE, tool } from './tool.ts';
import { explainRecipients, type RecipientEvent } from './explain-events.ts';

interface Email {
  id: string;
  from: string;
  to: string[];
  subject: string;
  status: string;
  scheduledAt: string | null;
  createdAt: string;
  tracking: { humanOpens: number; humanClicks: number };
  emailEvents: RecipientEvent[];
}

const MAX_EVENTS = 40;
/** Each is a dozen DNS lookups. */
const MAX_DOMAINS = 5;
const emailId = someId.describe('The `id` that send_email returned');
const readEmail = (id: string) => ({ params: { emailId: id } });

export const deliveryTools = [
  tool({
    name: 'email_status',
    title: 'Status of an email',
    description: 'What has become of an email, with its newest events.',
    hints: READS_OUTSIDE,
    operations: ['getEmail'],
    input: z.object({ email_id: emailId }),
    output: z.object({
      untrusted: untrustedShape,
      id: z.string(),
      status: z.string().describe('The latest status. With several recipients, the worst one'),
      from: person,
      to: z.array(person),
      subject: fencedText,
      scheduled_at: z.string().nullable(),
      created_at: z.string(),
      opens: z.int().describe('By people'),
      clicks: z.int().describe('By people'),
      events: z.array(z.object({ status: z.string(), recipient: z.string().nullable(), at: z.string() })),
    }),
    run: ({ email_id: id }, { call }) => call<Email>('getEmail', readEmail(id)),
    present(email, fence) {
      const shown = presentEmail(email, fence);
      const events = email.emailEvents
        .slice(-MAX_EVENTS)
        .map(({ status, recipient, createdAt }) => ({ status, recipient, at: createdAt }));
      return { untrusted: fence.describe(), ...shown, events };
    },
  }),
  tool({
    name: 'explain_delivery',
    title: 'Explain what became of an email',
    description:
      'Says for each recipient in a sentence whether an email arrived, why it did not, and what happens next, with what the receiving server replied.',
    hints: READS_OUTSIDE,
    operations: ['getEmail'],
    input: z.object({
      email_id: emailId,
      recipient: z.string().max(320).optional().describe('Only this address'),
    }),
    output: z.object({
      untrusted: untrustedShape,
      status: z.string(),
      recipients: z.array(
        z.object({
          recipient: z.string(),
          status: z.string(),
          sentence: z.string(),
          reply: fencedText.nullable().describe('The last reply of the receiving server'),
        }),
      ),
    }),
    run: ({ email_id: id }, { call }) => call<Email>('getEmail', readEmail(id)),
    present({ status, emailEvents }, fence, { recipient }) {
      const recipients = explainRecipients(emailEvents, recipient).map(({ reply, ...explained }) => ({
        ...explained,
        reply: fence.lineOrNull(reply),
      }));
      return { untrusted: fence.describe(), status, recipients };
    },
  }),
  tool({
    name: 'domain_health',
    title: 'Health of the sending domains',
    description:
      'Whether mail of the sending domains arrives: the score of each domain, what to do first, and all checks (SPF, DKIM, DMARC, reverse DNS, blocklists and others) with a sentence. Looks up DNS, so it takes some seconds.',
    hints: READS_OUTSIDE,
    operations: ['listDomains', 'getDomainHealth'],
    input: z.object({
      name: z.string().max(253).optional().describe(`Only this domain. Without it, the first ${MAX_DOMAINS}`),
    }),
    output: z.object({
      untrusted: untrustedShape,
      domains: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          status: z.string(),
          score: z.string().describe('good, watch or bad'),
          next: fencedText.nullable().describe('What to do first'),
          checks: z.array(
            z.object({
              name: z.string(),
              status: z.string(),
              sentence: fencedText.describe('What this means, and what to do'),
            }),
          ),
          records_to_fix: z.array(z.object({ type: z.string(), name: z.string(), value: z.string() })),
          checked_at: z.string(),
        }),
      ),
    }),
    async run({ name }, { call }) {
      const domains = await call<Domain[]>('listDomains');
      const asked = domains.filter((domain) => name === undefined || domain.name === name.toLowerCase());
      return Promise.all(
        asked.slice(0, MAX_DOMAINS).map(async (domain) => ({
          domain,
          health: await call<DomainHealth>('getDomainHealth', { params: { id: String(domain.id) } }),
        })),
      );
    },
    present: (found, fence) => ({
      untrusted: fence.describe(),
      domains: found.map(({ domain, health }) => presentDomain(domain, health, fence)),
    }),
  }),
];

function presentEmail(email: Email, fence: Fence) {
  const { id, status, from, to, subject, scheduledAt, createdAt, tracking } = email;
  return {
    id,
    status,
    from: presentPerson(from, fence),
    to: presentPeople(to, fence),
    subject: fence.line(subject),
    scheduled_at: scheduledAt,
    created_at: createdAt,
    opens: tracking.humanOpens,
    clicks: tracking.humanClicks,
  };
}

/** The sentences name what other servers have said, such as their names. */
function presentDomain(domain: Domain, { score, next, checks, checkedAt }: DomainHealth, fence: Fence) {
  const wrong = domain.dnsRecords.filter(({ status, recommended }) => status !== 'SUCCESS' && !recommended);
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    score,
    next: fence.lineOrNull(next?.sentence ?? null),
    checks: checks.map(({ name, status, sentence }) => ({ name, status, sentence: fence.line(sentence) })),
    records_to_fix: wrong.map(({ type, name, value }) => ({ type, name, value })),
    checked_at: checkedAt,
  };
}
