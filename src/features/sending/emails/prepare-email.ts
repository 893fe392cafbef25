/** Turns one submission into the message that is stored: checks it, fills its template, tracks and composes it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { composeOffLoop } from '../../../mail/offload/compose-message.ts';
import { holdInMemory } from '../../../platform/memory/request-meter.ts';
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { AppError } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import { acceptRaw } from './accept-raw.ts';
import { chooseForm } from '../../content/stored/choose-form.ts';
import type { ContentSource } from '../../content/stored/content-source.ts';
import { toRecipe, type Ingredients } from '../../content/stored/message-recipe.ts';
import type { MessageForm } from '../../content/stored/stored-message.ts';
import { asWritten, labelsOf, sizeOf, type EmailInput } from './emails.schema.ts';
import { createTemplateFinder, fillContent, type FilledEmail, type FindTemplate } from './fill-content.ts';
import { createSenderFinder, requireHeld, type findSender } from './require-sender.ts';
import { requireWithinLimits } from './require-within-limits.ts';
import type { FieldsContent, SubmittedMessage, Submission } from './submission.ts';
import { chooseTimeToLeave } from './time-to-leave.ts';
import { trackEmail, UNTRACKED, type Tracked } from './track-email.ts';

export interface PreparedEmail {
  id: string;
  message: SubmittedMessage;
}

type Caller = Submission['caller'];

/** The ids and the date of a new email. */
interface Identity {
  id: string;
  emailId: string;
  now: Date;
}

/** Emails that are prepared together share the senders and templates that were found. */
export interface Together {
  find: typeof findSender;
  findTemplate: FindTemplate;
  /** Whether the request has several emails. */
  isMany: boolean;
  /**
   * The sources of emails that are stored as recipes, and how many times larger than its texts the first of these was.
   * The others are not composed before they are read, so that a request with many recipients is accepted quickly.
   */
  recipes: Map<ContentSource, number>;
}

export function prepareTogether({ isMany }: Pick<Together, 'isMany'>): Together {
  return { find: createSenderFinder(), findTemplate: createTemplateFinder(), isMany, recipes: new Map() };
}

export async function prepareEmail(
  db: Db,
  { id = newUuid(), caller, content }: Submission,
  together: Together,
): Promise<PreparedEmail> {
  const identity = { id, emailId: encodeId('eml', id), now: new Date() };
  const message =
    content.kind === 'raw'
      ? await acceptRaw(db, caller, content, identity)
      : await composeFields({ db, caller, together }, content, identity);
  return { id, message };
}

/** The order of the steps decides which error a request gets: an unverified domain comes after missing objects. */
async function composeFields(
  { db, caller, together }: { db: Db; caller: Caller; together: Together },
  content: FieldsContent,
  { id, emailId, now }: Identity,
): Promise<SubmittedMessage> {
  const { email: input, links, limits } = content;
  if (limits) requireWithinLimits(limits, input);
  const found = await together.find(db, caller, input.from);
  const reply = content.reply ?? (await findRepliedTo(db, caller, input.inReplyToId));
  const filled = await fillContent(db, caller.teamId, content, together.findTemplate);
  const { email } = filled;
  // The template may have made the email larger.
  if (limits) requireWithinLimits(limits, email);
  const sender = requireHeld(found, input.from);
  const leavesAt = content.leavesAt === undefined ? await chooseTimeToLeave(db, email) : content.leavesAt;
  const messageId = `<${emailId}@${sender.domain}>`;
  // What a policy decides about is composed right away.
  const isJudged = caller.policyIds.length > 0;
  const growth = isJudged ? undefined : together.recipes.get(filled.source);
  const ref = growth === undefined ? { teamId: caller.teamId, emailId: id } : null;
  const { email: sent, tracked } = links
    ? await trackEmail(email, sender, links, ref)
    : { email, tracked: UNTRACKED };
  const cc = email.cc ?? [];
  const bcc = email.bcc ?? [];
  const { linkHost } = sender;
  const ingredients = toIngredients(filled, { messageId, reply, date: now, tracked, linkHost });
  const composed = growth === undefined ? await compose(sent, filled, ingredients, together) : null;
  return {
    domainId: sender.domainId,
    from: email.from.given,
    to: asWritten(email.to),
    cc: asWritten(cc),
    bcc: asWritten(bcc),
    replyTo: asWritten(email.replyTo),
    subject: email.subject ?? '',
    recipients: [...email.to, ...cc, ...bcc],
    ...(content.isWithheld ? { isWithheld: true } : {}),
    messageId,
    leavesAt,
    labels: labelsOf(email),
    tracked,
    content: composed ? composed.stored : await toRecipe(ingredients, Math.ceil(growth! * sizeOf(email))),
    ...(composed && isJudged
      ? { judged: { raw: composed.raw, html: email.html ?? null, text: email.text ?? null } }
      : {}),
  };
}

async function findRepliedTo(
  db: Db,
  caller: Caller,
  emailId: string | null | undefined,
): Promise<FieldsContent['reply']> {
  if (!emailId) return null;
  const id = decodeId('eml', emailId);
  const { rows } = await sql<Row<'emails', 'message_id' | 'domain_id'>>`
    select message_id, domain_id from all_emails where team_id = ${caller.teamId} and id = ${id}
  `.execute(db);
  const row = rows[0];
  if (!row) throw new AppError('NOT_FOUND', 'inReplyToId is not the ID of an email of your team.');
  keepToDomain(caller, row.domain_id);
  return { inReplyTo: row.message_id, references: [row.message_id] };
}

interface Composed {
  messageId: string;
  reply: FieldsContent['reply'];
  date: Date;
  tracked: Tracked;
  linkHost: string | null;
}

function toIngredients(
  { email, source, values }: FilledEmail,
  { messageId, reply, date, tracked, linkHost }: Composed,
): Ingredients {
  return {
    source,
    values,
    tracking: { ...tracked, linkHost },
    attachments: toAttachments(email.attachments),
    fields: {
      messageId,
      date,
      from: withoutGiven(email.from),
      to: email.to.map(withoutGiven),
      cc: (email.cc ?? []).map(withoutGiven),
      replyTo: (email.replyTo ?? []).map(withoutGiven),
      subject: email.subject ?? '',
      headers: Object.entries(email.headers ?? {}),
      inReplyTo: reply?.inReplyTo ?? null,
      references: reply?.references ?? [],
      boundary: randomUUID(),
    },
  };
}

type Mailbox = EmailInput['from'];

function withoutGiven({ email, key, domain, name }: Mailbox): Omit<Mailbox, 'given'> {
  return { email, key, domain, name };
}

/** By the list of the email, so that emails with the same files have one list. */
const attachmentsOf = new WeakMap<object, Ingredients['attachments']>();

function toAttachments(given: EmailInput['attachments']): Ingredients['attachments'] {
  if (!given) return [];
  let attachments = attachmentsOf.get(given);
  if (!attachments) {
    attachments = given.map((file) => ({
      ...file,
      contentType: file.contentType ?? null,
      contentId: file.contentId ?? null,
    }));
    attachmentsOf.set(given, attachments);
  }
  return attachments;
}

/** `sent` has the tracking links. A missing text part is made from the HTML without them. */
async function compose(
  sent: EmailInput,
  { email, source, isShared }: FilledEmail,
  ingredients: Ingredients,
  { isMany, recipes }: Together,
): Promise<{ raw: Buffer; stored: MessageForm }> {
  const { fields, attachments } = ingredients;
  const content = { html: sent.html ?? null, text: sent.text ?? null, textFrom: email.html ?? null };
  return holdInMemory(sizeOf(sent), async () => {
    const raw = await composeOffLoop({ ...fields, ...content, attachments }).catch((error: unknown) => {
      throw new AppError('UNAVAILABLE', 'The email cannot be processed right now. Try again in a moment.', {
        cause: error,
      });
    });
    const stored = await chooseForm(raw, ingredients, { isShared, isOneOfMany: isMany });
    if (stored.isRecipe && isShared && isMany) recipes.set(source, raw.length / Math.max(sizeOf(email), 1));
    return { raw, stored };
  });
}
