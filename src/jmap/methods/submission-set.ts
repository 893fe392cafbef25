/** EmailSubmission/set (RFC 8621 section 7.5): sends messages, and cancels scheduled ones. */
import { requireSpace } from '../../features/instance/require-space.ts';
import { z } from 'zod';
import { readSubmissions, submissionState } from '../../features/mailboxes/jmap/list-submissions.ts';
import {
  cancelSubmission,
  createSubmission,
  destroySubmission,
  type SubmissionEnvelope,
} from '../../features/mailboxes/jmap/submissions.ts';
import { refuseOthersDrafts } from '../../features/mailboxes/writing/draft-owner.ts';
import { readHeader, readHeaderProperty, type EmailAddress } from '../../mail/jmap/header-forms.ts';
import { parseAddress, type Address } from '../../mail/mime/address.ts';
import { AppError } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import { idList, object, readArguments } from '../calls/arguments.ts';
import { findEmail, sourceOf } from '../calls/blobs.ts';
import { MAX_DELAY_SECONDS } from '../calls/limits.ts';
import { notFound, resolveId, runSet, withoutSent, type SetResult } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { setEmails } from './email-set.ts';
import { findIdentity } from './identity.ts';
import { presentSubmission } from './submission-read.ts';

const successArguments = z.object({
  onSuccessUpdateEmail: object.nullish(),
  onSuccessDestroyEmail: idList.nullish(),
});

export async function setSubmissions(context: MethodContext, args: Arguments): Promise<Arguments> {
  const { tools, login } = context;
  const follow = readArguments(successArguments, args);
  // The message of each submission, for onSuccessUpdateEmail and onSuccessDestroyEmail.
  const emailOf = new Map<string, string>();
  const result = await runSet(context, args, {
    readState: async () => String(await submissionState(tools.db, login)),
    async create(input) {
      const submission = await create(context, input);
      emailOf.set(submission.id, submission.emailId as string);
      return withoutSent(submission, input);
    },
    async update(id, patch) {
      emailOf.set(id, await cancel(context, id, patch));
      return null;
    },
    isSmallUpdate: () => true,
    async destroy(id) {
      const [row] = await readRow(context, id);
      if (!row || !(await destroySubmission(tools.db, login, row.id))) throw notFound();
      emailOf.set(id, presentSubmission(row).emailId as string);
    },
  });
  tools.facts.wakeDeliveryWorkers();
  tools.facts.hintMail();
  await changeEmails(context, follow, result, emailOf);
  return result.response;
}

/** Changes the messages of submissions that succeeded, with a response of its own (RFC 8621 section 7.5). */
async function changeEmails(
  context: MethodContext,
  { onSuccessUpdateEmail, onSuccessDestroyEmail }: z.output<typeof successArguments>,
  { created, updated, destroyed }: SetResult,
  emailOf: ReadonlyMap<string, string>,
): Promise<void> {
  const succeeded = new Set([...[...created.values()].map(({ id }) => id), ...updated, ...destroyed]);
  const emailFor = (key: string): string | undefined => {
    const id = resolveId(context, key);
    return succeeded.has(id) ? emailOf.get(id) : undefined;
  };
  const update = Object.entries(onSuccessUpdateEmail ?? {}).flatMap(([key, patch]): [string, unknown][] => {
    const emailId = emailFor(key);
    return emailId === undefined ? [] : [[emailId, patch]];
  });
  const destroy = (onSuccessDestroyEmail ?? []).flatMap((key) => emailFor(key) ?? []);
  if (update.length + destroy.length === 0) return;
  const { accountId } = context;
  const response = await setEmails(context, {
    accountId,
    ...(update.length > 0 ? { update: Object.fromEntries(update) } : {}),
    ...(destroy.length > 0 ? { destroy } : {}),
  });
  context.addResponse('Email/set', response);
}

async function readRow({ tools, login }: MethodContext, id: string) {
  const uuid = decodeId('sub', id);
  return uuid === null ? [] : readSubmissions(tools.db, login, [uuid], 1);
}

/** Only undoStatus can be changed, and only to canceled. Returns the ID of the message. */
async function cancel(context: MethodContext, id: string, patch: Arguments): Promise<string> {
  const [row] = await readRow(context, id);
  if (!row) throw notFound();
  const others = Object.keys(patch).filter((name) => name !== 'undoStatus');
  if (others.length > 0) throw invalidProperties(others.slice(0, 20), 'Only undoStatus can be changed.');
  if (patch.undoStatus !== undefined && patch.undoStatus !== row.undoStatus) {
    if (patch.undoStatus !== 'canceled')
      throw invalidProperties(['undoStatus'], 'undoStatus can only be changed to canceled.');
    await cancelSubmission(context.tools.db, context.login, row.id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'already_sent')
        throw new ObjectError('cannotUnsend', error.message);
      throw error;
    });
  }
  return presentSubmission(row).emailId as string;
}

const submissionInput = z.strictObject({
  identityId: z.string().max(255),
  emailId: z.string().max(255),
  envelope: z.unknown().optional(),
});

async function create(context: MethodContext, input: Arguments): Promise<Arguments & { id: string }> {
  const { tools, login } = context;
  const parsed = submissionInput.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? 'emailId')];
    throw invalidProperties(
      names.slice(0, 20),
      'A submission must have identityId and emailId, and can have an envelope.',
    );
  }
  const identity = await findIdentity(context, resolveId(context, parsed.data.identityId));
  if (!identity) throw invalidProperties(['identityId'], 'This identity does not exist.');
  const row = await findEmail(tools.db, login, resolveId(context, parsed.data.emailId));
  if (!row) throw invalidProperties(['emailId'], 'This message does not exist.');
  await refuseOthersDrafts(tools.db, login, [row.id]);
  const raw = await sourceOf(tools.db, login, row);
  const { messageBytes, smtpRecipients } = tools.facts.mailLimits;
  if (raw.length > messageBytes)
    throw new ObjectError('tooLarge', `A message can have at most ${messageBytes} bytes.`, {
      maxSize: messageBytes,
    });
  const envelope = readEnvelope(parsed.data.envelope, raw, login.address);
  const recipients = readRecipients(envelope, smtpRecipients);
  if (parseAddress(envelope.mailFrom.email)?.key !== login.addressKey)
    throw new ObjectError(
      'forbiddenMailFrom',
      `Messages of this mailbox must be sent from ${login.address}.`,
    );
  const sendAt = readHold(envelope.mailFrom.parameters);
  await requireSpace(tools.facts, login.teamId, raw.length);
  const submission = { messageId: row.id, identityId: identity.id, raw, recipients, envelope, sendAt };
  return presentSubmission(await createSubmission(tools.db, login, submission).catch(toSendError));
}

function toSendError(error: unknown): never {
  if (error instanceof AppError && error.reason === 'blocked-by-policy')
    throw new ObjectError('forbiddenToSend', error.message);
  if (error instanceof AppError && error.code === 'FORBIDDEN')
    throw new ObjectError('forbiddenFrom', error.message);
  if (error instanceof AppError && error.code === 'BAD_REQUEST')
    throw new ObjectError('invalidEmail', error.message);
  throw error;
}

const parameters = z.record(z.string().max(100), z.string().max(500).nullable()).nullish();
const envelopeAddress = z.object({ email: z.string().max(500), parameters });
const envelopeInput = z.object({ mailFrom: envelopeAddress, rcptTo: z.array(envelopeAddress).max(5_000) });

/** If the client sends no envelope, it is derived from the header of the message. */
function readEnvelope(value: unknown, raw: Buffer, address: string): SubmissionEnvelope {
  if (value === undefined || value === null) {
    const header = readHeader(raw);
    const named = ['to', 'cc', 'bcc'].flatMap((name) =>
      (readHeaderProperty(header, { name, form: 'Addresses', all: true }) as EmailAddress[][]).flat(),
    );
    const emails = [...new Set(named.map(({ email }) => email))];
    return {
      mailFrom: { email: address, parameters: null },
      rcptTo: emails.map((email) => ({ email, parameters: null })),
    };
  }
  const parsed = envelopeInput.safeParse(value);
  if (!parsed.success) throw invalidProperties(['envelope'], 'An envelope must have mailFrom and rcptTo.');
  return { mailFrom: withParameters(parsed.data.mailFrom), rcptTo: parsed.data.rcptTo.map(withParameters) };
}

function withParameters({ email, parameters: given = null }: z.output<typeof envelopeAddress>) {
  return { email, parameters: given };
}

function readRecipients({ rcptTo }: SubmissionEnvelope, most: number): Address[] {
  if (rcptTo.length === 0) throw new ObjectError('noRecipients', 'The message has no recipients.');
  if (rcptTo.length > most)
    throw new ObjectError('tooManyRecipients', `A message can have at most ${most} recipients.`, {
      maxRecipients: most,
    });
  // A parameter that is ignored would promise something, such as a delivery report, that nobody keeps.
  if (rcptTo.some(({ parameters: given }) => Object.keys(given ?? {}).length > 0))
    throw invalidProperties(['envelope'], 'Parameters of recipients are not supported.');
  const read = rcptTo.map(({ email }) => ({ email, address: parseAddress(email) }));
  const invalid = read.filter(({ address }) => address === null).map(({ email }) => email);
  if (invalid.length > 0)
    throw new ObjectError('invalidRecipients', 'Some recipients are not valid addresses.', {
      invalidRecipients: invalid,
    });
  return [...new Map(read.map(({ address }) => [address!.key, address!])).values()];
}

/** Only the parameters of FUTURERELEASE (RFC 4865) are supported. */
function readHold(given: Record<string, string | null> | null): Date | null {
  const entries = Object.entries(given ?? {}).map(([name, value]): [string, string | null] => [
    name.toUpperCase(),
    value,
  ]);
  const [first, ...others] = entries;
  if (!first) return null;
  const [name, value] = first;
  const isFor = name === 'HOLDFOR' && /^\d{1,9}$/.test(value ?? '');
  const until = name === 'HOLDUNTIL' && value !== null ? Date.parse(value) : Number.NaN;
  const sendAt = isFor ? Date.now() + Number(value) * 1_000 : until;
  const isValid = sendAt > Date.now() - 60_000 && sendAt <= Date.now() + MAX_DELAY_SECONDS * 1_000;
  if (others.length > 0 || !isValid)
    throw invalidProperties(['envelope'], 'Only HOLDFOR or HOLDUNTIL are supported, up to a year.');
  return sendAt > Date.now() ? new Date(sendAt) : null;
}
