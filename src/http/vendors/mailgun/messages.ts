import { z } from 'zod';
import { getEmail } from '../../../features/activity/email-log/show-email.ts';
import type { Caller } from '../../../features/api/caller.ts';
import type { Facts } from '../../../features/instance/facts.ts';
import { MOST_URGENT_RECIPIENTS } from '../../../features/sending/emails/priority.ts';
import { requireSender } from '../../../features/sending/emails/require-sender.ts';
import { submit, submitInPieces } from '../../../features/sending/emails/submit.ts';
import type { EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { publicLinksOf } from '../../../features/sending/links/links.ts';
import { findTemplateId } from '../../../features/sending/templates/templates.ts';
import type { Db } from '../../../platform/database.ts';
import { AppError, badRequest, invalidField } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import { Form } from '../../requests/read-form.ts';
import { batchTag, tagOfPath } from './labels.ts';
import { domainPath, findPathDomain, mailgunRoute } from './mailgun-route.ts';
import { readMessageForm, type MailgunMessage } from './message-form.ts';
import { toRawContent } from './raw-content.ts';
import { forEachRecipient, toEmailInput } from './to-emails.ts';

const BODY_LIMIT = 40 * 1024 * 1024;

const form = z.instanceof(Form, { error: 'must be a form' });
const accepted = z.object({ id: z.string(), message: z.string() });

interface Request {
  db: Db;
  caller: Caller;
  facts: Facts;
  /** The domain of the path. */
  domain: { id: number; name: string };
  message: MailgunMessage;
}

/** Shared by both ways to send a message. */
const SENDING = {
  method: 'POST',
  permission: 'sending',
  boundKeys: 'kept-to-domain',
  takesForms: true,
  params: z.object(domainPath),
  body: form,
  bodyLimitBytes: BODY_LIMIT,
  answer: accepted,
} as const;

export const mailgunMessageRoutes = [
  mailgunRoute({
    ...SENDING,
    path: '/{domain}/messages',
    async handle({ db, caller, facts, params, body }) {
      const domain = await findPathDomain(db, caller, params.domain);
      const message = await readMessageForm(body);
      if (message.mime) throw invalidField('message', 'must be sent to messages.mime');
      return answer(facts, await send({ db, caller, facts, domain, message }));
    },
  }),
  mailgunRoute({
    ...SENDING,
    path: '/{domain}/messages.mime',
    async handle({ db, caller, facts, params, body }) {
      const domain = await findPathDomain(db, caller, params.domain);
      const message = await readMessageForm(body);
      return answer(facts, await sendMime({ db, caller, facts, domain, message }));
    },
  }),
];

function answer(facts: Facts, id: string) {
  facts.wakeDeliveryWorkers();
  return { id, message: 'Queued. Thank you.' };
}

/** Returns the Message-ID, or for a batch an id in the same form that stands for all its messages. */
async function send({ db, caller, facts, domain, message }: Request): Promise<string> {
  const given = toEmailInput(message, await findTemplate(db, caller, message.template));
  const email = { ...given, tags: [...(given.tags ?? []), ...tagOfPath(given.from, domain)] };
  const links = publicLinksOf(facts);
  const source = 'api' as const;
  if (message.isTest) return pretend({ db, caller, domain, message }, email);
  if (!message.recipientVariables) {
    const id = await submit(db, {
      source,
      caller,
      content: { kind: 'fields', email, limits: facts.mailLimits, links },
    });
    return `<${id}@${email.from.domain}>`;
  }
  const batchId = newUuid();
  const emails = forEachRecipient(message, { ...email, tags: [...email.tags, batchTag(batchId)] });
  const isUrgent = message.to.length <= MOST_URGENT_RECIPIENTS && !email.scheduledAt;
  await submitInPieces(db, caller.teamId, {
    *[Symbol.iterator]() {
      for (const each of emails)
        yield {
          source,
          caller,
          content: { kind: 'fields' as const, email: each, limits: facts.mailLimits, links },
          priority: isUrgent ? ('transactional' as const) : ('batch' as const),
        };
    },
  });
  return `<${batchId}@${domain.name}>`;
}

/** `o:testmode`: everything is checked and nothing is stored. */
async function pretend(
  { db, caller, domain, message }: Omit<Request, 'facts'>,
  email: EmailInput,
): Promise<string> {
  await requireSender(db, caller, email.from);
  if (message.recipientVariables) for (const _ of forEachRecipient(message, email));
  return `<${newUuid()}@${domain.name}>`;
}

async function sendMime({ db, caller, facts, domain, message }: Request): Promise<string> {
  const { mime, leavesAt, labels, recipients } = toRawContent(message, domain);
  if (message.isTest) return `<${newUuid()}@${domain.name}>`;
  const content = { kind: 'raw' as const, raw: mime, recipients, leavesAt, labels };
  const id = await submit(db, { source: 'api', caller, content });
  return (await getEmail(db, caller, id, publicLinksOf(facts))).messageId;
}

/** By name, or by the id that our own API shows. */
async function findTemplate(db: Db, caller: Caller, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  return findTemplateId(db, caller.teamId, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND')
      throw badRequest(`template not found: ${name.slice(0, 200)}`);
    throw error;
  });
}
