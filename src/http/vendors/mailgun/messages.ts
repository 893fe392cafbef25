import { z } from 'zod';
import { getEmail } from '../../../features/activity/email-log/show-email.ts';
import type { Caller } from '../../../features/api/caller.ts';
import type { Facts } from '../../../features/instance/facts.ts';
import { MOST_URGENT_RECIPIENTS, type Priority } from '../../../features/sending/emails/priority.ts';
import type { FieldsContent, Submission } from '../../../features/sending/emails/submission.ts';
import { checkAll, submit, submitAll } from '../../../features/sending/emails/submit.ts';
import { publicLinksOf } from '../../../features/content/links/links.ts';
import { findTemplateId } from '../../../features/content/templates/templates.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, badRequest, invalidField } from '../../../platform/errors.ts';
import { newUuid } from '../../../platform/ids.ts';
import { FormBody } from '../../requests/read-form.ts';
import { batchTag, tagOfPath } from './labels.ts';
import { domainPath, findPathDomain, mailgunRoute } from './mailgun-route.ts';
import { readMessageForm, type MailgunMessage } from './message-form.ts';
import { toRawContent } from './raw-content.ts';
import { forEachRecipient, toEmailInput } from './to-emails.ts';
import { EMAIL_BODY_BYTES } from '../../../features/content/content-limits.ts';

const form = z.instanceof(FormBody, { error: 'must be a form' });
const accepted = z.object({ id: z.string(), message: z.string() });

interface Request {
  db: Db;
  caller: Caller;
  facts: Facts;
  /** The domain in the path. */
  domain: { id: number; name: string };
  message: MailgunMessage;
}

/** The settings that both ways to send a message share. */
const SENDING = {
  method: 'POST',
  permission: 'sending',
  boundKeys: 'kept-to-domain',
  takesForms: true,
  params: z.object(domainPath),
  body: form,
  bodyLimitBytes: EMAIL_BODY_BYTES,
  answer: accepted,
} as const;

export const mailgunMessageRoutes = [
  mailgunRoute({
    ...SENDING,
    path: '/{domain}/messages',
    scope: 'emails.send',
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
    scope: 'emails.send',
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

/** Returns the Message-ID, or for a batch an ID in the same form that stands for all its messages. */
async function send({ db, caller, facts, domain, message }: Request): Promise<string> {
  const given = toEmailInput(message, await findTemplate(db, caller, message.template));
  const email = { ...given, tags: [...(given.tags ?? []), ...tagOfPath(given.from, domain)] };
  const links = publicLinksOf(facts);
  const submissionOf = (each: Pick<FieldsContent, 'email' | 'made'>) => ({
    source: 'api' as const,
    caller,
    content: { kind: 'fields' as const, ...each, limits: facts.mailLimits, links },
  });
  if (!message.recipientVariables) {
    if (message.isTest) return pretend(db, domain, [submissionOf({ email })]);
    return `<${await submit(db, submissionOf({ email }))}@${email.from.domain}>`;
  }
  const batchId = newUuid();
  const emails = forEachRecipient(message, { ...email, tags: [...email.tags, batchTag(batchId)] });
  const isUrgent = message.to.length <= MOST_URGENT_RECIPIENTS && !email.scheduledAt;
  const priority: Priority = isUrgent ? 'transactional' : 'batch';
  const submissions = {
    *[Symbol.iterator]() {
      for (const each of emails) yield { ...submissionOf(each), priority };
    },
  };
  if (message.isTest) return pretend(db, domain, submissions);
  await submitAll(db, caller.teamId, submissions);
  return `<${batchId}@${domain.name}>`;
}

/** With `o:testmode`, everything is checked and nothing is stored. */
async function pretend(
  db: Db,
  domain: Request['domain'],
  submissions: Iterable<Submission>,
): Promise<string> {
  await checkAll(db, submissions);
  return `<${newUuid()}@${domain.name}>`;
}

async function sendMime({ db, caller, facts, domain, message }: Request): Promise<string> {
  const { mime, leavesAt, labels, recipients } = toRawContent(message, domain);
  const content = { kind: 'raw' as const, raw: mime, recipients, leavesAt, labels };
  if (message.isTest) return pretend(db, domain, [{ source: 'api', caller, content }]);
  const id = await submit(db, { source: 'api', caller, content });
  return (await getEmail(db, caller, id, publicLinksOf(facts))).messageId;
}

/** Finds a template by name, or by the ID of our own API. */
async function findTemplate(db: Db, caller: Caller, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  return findTemplateId(db, caller.teamId, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'NOT_FOUND')
      throw badRequest(`template not found: ${name.slice(0, 200)}`);
    throw error;
  });
}
