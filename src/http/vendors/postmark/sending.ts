import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { Caller } from '../../../features/api/caller.ts';
import type { Facts } from '../../../features/instance/facts.ts';
import { asWritten, type EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { submitEach } from '../../../features/sending/emails/submit.ts';
import { publicLinksOf } from '../../../features/content/links/links.ts';
import { findSuppressionReasons } from '../../../features/sending/suppressions/suppressions.ts';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, badRequest, invalidField } from '../../../platform/errors.ts';
import { findUsableTemplate, requireSmallRequest } from '../mapping/stored-template.ts';
import { readEmail, readTemplateEmail, withTemplate } from './email-shape.ts';
import { toPostmarkError } from './errors.ts';
import { postmarkRoute } from './postmark-route.ts';
import { EMAIL_BODY_BYTES } from '../../../features/content/content-limits.ts';

const MAX_BATCH = 500;
const SLICE_MS = 20;

const accepted = z.object({
  To: z.string(),
  Cc: z.string().optional(),
  Bcc: z.string().optional(),
  SubmittedAt: z.string(),
  MessageID: z.string(),
  ErrorCode: z.literal(0),
  Message: z.string(),
});
const refused = z.object({
  To: z.string(),
  SubmittedAt: z.string(),
  MessageID: z.literal(''),
  ErrorCode: z.int(),
  Message: z.string(),
});
const results = z.array(z.union([accepted, refused]));
const batch = z.array(z.unknown()).min(1).max(MAX_BATCH);

interface Request {
  db: Db;
  caller: Caller;
  facts: Facts;
}
type Read = (input: unknown) => EmailInput | Promise<EmailInput>;

const sending = {
  method: 'POST' as const,
  permission: 'sending' as const,
  boundKeys: 'kept-to-domain' as const,
  bodyLimitBytes: EMAIL_BODY_BYTES,
};

export const sendingRoutes = [
  postmarkRoute({
    ...sending,
    path: '/email',
    scope: 'emails.send',
    body: z.unknown(),
    answer: accepted,
    handle: ({ body, ...request }) => sendOne(request, body, readEmail),
  }),
  postmarkRoute({
    ...sending,
    path: '/email/batch',
    scope: 'emails.send',
    body: batch,
    heavy: 'rows',
    answer: results,
    handle: ({ body, ...request }) => sendEach(request, body, readEmail),
  }),
  postmarkRoute({
    ...sending,
    path: '/email/withTemplate',
    scope: 'emails.send',
    body: z.unknown(),
    answer: accepted,
    handle: ({ body, ...request }) => sendOne(request, body, createTemplateReader(request)),
  }),
  postmarkRoute({
    ...sending,
    path: '/email/batchWithTemplates',
    scope: 'emails.send',
    body: z.strictObject({ Messages: batch }),
    heavy: 'rows',
    answer: results,
    handle: ({ body, ...request }) => sendEach(request, body.Messages, createTemplateReader(request)),
  }),
];

/** Finds each template once. */
function createTemplateReader({ db, caller }: Request): Read {
  const found = new Map<string, ReturnType<typeof findUsableTemplate>>();
  let total = 0;
  return async (input) => {
    const { reference, inlinesCss, fields } = readTemplateEmail(input);
    const template = found.get(reference) ?? findUsableTemplate(db, caller.teamId, reference);
    found.set(reference, template);
    const { templateId, length, hasStyleSheet } = await template;
    if (inlinesCss && hasStyleSheet)
      throw invalidField('InlineCss', 'must be false: styles are sent as the template has them');
    requireSmallRequest((total += length));
    return withTemplate(fields, templateId);
  };
}

async function sendOne(request: Request, input: unknown, read: Read) {
  const [result] = await send(request, [input], read);
  if (result instanceof AppError) throw result;
  return result!;
}

/** Each email of a batch has its own result. */
async function sendEach(request: Request, inputs: unknown[], read: Read) {
  const sent = await send(request, inputs, read);
  return sent.map((result, at) => (result instanceof AppError ? presentRefused(inputs[at], result) : result));
}

/** The SDK for Python rejects a result without one of these fields. */
function presentRefused(input: unknown, error: AppError) {
  const { To } = Object(input) as { To?: unknown };
  return {
    To: typeof To === 'string' ? To.slice(0, 1000) : '',
    SubmittedAt: new Date().toISOString(),
    MessageID: '' as const,
    ...toPostmarkError(error),
  };
}

async function send({ db, caller, facts }: Request, inputs: unknown[], read: Read) {
  const emails: (EmailInput | AppError)[] = [];
  let sliceEndsAt = performance.now() + SLICE_MS;
  for (const input of inputs) {
    emails.push(await readOrRefuse(input, read));
    if (performance.now() < sliceEndsAt) continue;
    await yieldToEventLoop();
    sliceEndsAt = performance.now() + SLICE_MS;
  }
  const valid = emails.filter(isEmail);
  const keys = valid.flatMap((email) => recipientsOf(email).map(({ key }) => key));
  const suppressed = await findSuppressionReasons(db, caller.teamId, keys);
  const checked = emails.map((email) =>
    isEmail(email) ? (refuseInactive(email, suppressed) ?? email) : email,
  );
  const links = publicLinksOf(facts);
  const submissions = checked.filter(isEmail).map((email) => ({
    source: 'api' as const,
    caller,
    content: { kind: 'fields' as const, email, limits: facts.mailLimits, links },
  }));
  const ids = await submitEach(db, caller.teamId, submissions);
  facts.wakeDeliveryWorkers();
  return checked.map((email) => {
    if (!isEmail(email)) return email;
    const id = ids.shift()!;
    return id instanceof AppError ? id : present(email, id, suppressed);
  });
}

function isEmail(email: EmailInput | AppError): email is EmailInput {
  return !(email instanceof AppError);
}

async function readOrRefuse(input: unknown, read: Read): Promise<EmailInput | AppError> {
  try {
    return await read(input);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function recipientsOf({ to, cc, bcc }: EmailInput) {
  return [...to, ...(cc ?? []), ...(bcc ?? [])];
}

/** An email is rejected if no recipient is left. The SDK reads the addresses from this message. */
function refuseInactive(email: EmailInput, suppressed: ReadonlyMap<string, unknown>): AppError | null {
  const recipients = recipientsOf(email);
  if (!recipients.every(({ key }) => suppressed.has(key))) return null;
  return badRequest(
    `You tried to send to recipients that have been marked as inactive. Found inactive addresses: ${listInactive(email, suppressed)}. Inactive recipients are on the suppression list.`,
    undefined,
    'inactive-recipients',
  );
}

function listInactive(email: EmailInput, suppressed: ReadonlyMap<string, unknown>): string {
  return recipientsOf(email)
    .filter(({ key }) => suppressed.has(key))
    .map(({ email: address }) => address)
    .join(', ');
}

function present(email: EmailInput, id: string, suppressed: ReadonlyMap<string, unknown>) {
  const inactive = listInactive(email, suppressed);
  return {
    To: writeList(email.to),
    ...(email.cc?.length ? { Cc: writeList(email.cc) } : {}),
    ...(email.bcc?.length ? { Bcc: writeList(email.bcc) } : {}),
    SubmittedAt: new Date().toISOString(),
    MessageID: id,
    ErrorCode: 0 as const,
    Message:
      inactive === '' ? 'OK' : `Message OK, but will not deliver to these inactive addresses: ${inactive}`,
  };
}

function writeList(mailboxes: EmailInput['cc']): string {
  return asWritten(mailboxes).join(', ');
}
