/** Translates one request of SendGrid to emails: one for each personalization. */
import { z } from 'zod';
import { findLeft, findTopicId } from '../../../features/audience/topics/topic-addresses.ts';
import type { ContentSource } from '../../../features/content/stored/content-source.ts';
import { emailInput, type EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import type { FieldsContent } from '../../../features/sending/emails/submission.ts';
import { parseAddress, writeMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import { readEmailFields, readFields } from '../mapping/read-fields.ts';
import { toLabels } from '../mapping/labels.ts';
import { findUsableTemplate, flattenModel, requireSmallRequest } from '../mapping/stored-template.ts';
import { requireTopic, withoutLeft } from '../mapping/topic-recipients.ts';
import type { MailBody, SendgridPerson, Personalization } from './mail-shape.ts';
import { createSubstitute, requireShortKeys, requireShortTexts, toVariables } from './substitutions.ts';

const MAX_RECIPIENTS = 1_000;
export const CATEGORY = 'category';
export const BATCH_TAG = 'sendgrid_batch';
/** SendGrid's links for leaving a group. Our emails have none, so the tags would be sent unchanged. */
const GROUP_LINK = /<%asm_/;

/**
 * The emails of a request, built one at a time. Recipients that have left the group are left out. An email without a
 * recipient in `to` is not sent at all.
 */
export async function toEmails(
  db: Db,
  teamId: number,
  body: MailBody,
): Promise<Iterable<Pick<FieldsContent, 'email' | 'made'>>> {
  const count = body.personalizations.reduce((sum, each) => sum + recipientsOf(each).length, 0);
  if (count > MAX_RECIPIENTS)
    throw invalidField('personalizations', `must have at most ${MAX_RECIPIENTS} recipients in total`);
  refuseContent(body);
  const template = body.template_id
    ? await findUsableTemplate(db, teamId, toReference(body.template_id))
    : null;
  requireSmallRequest((contentLength(body) + (template?.length ?? 0)) * body.personalizations.length);
  const left = await findLeftOf(db, teamId, body);
  const shared = readShared(body, template?.templateId);
  return {
    *[Symbol.iterator]() {
      for (const [at, personalization] of body.personalizations.entries()) {
        // All emails are checked, including those that are not sent.
        const email = toEmail(body, personalization, at, shared);
        const kept = withoutLeft(email, left);
        if (!kept) continue;
        const values = personalization.substitutions ?? {};
        yield shared.templateId ? { email: kept } : { email: kept, made: { source: shared.source, values } };
      }
    },
  };
}

/** What all personalizations have in common. It is checked once. */
interface Shared {
  templateId: string | undefined;
  source: ContentSource;
  attachments: EmailInput['attachments'];
}

function readShared(body: MailBody, templateId: string | undefined): Shared {
  const contentOf = (wanted: string) => body.content?.find(({ type }) => type === wanted)?.value || null;
  const source: ContentSource = {
    syntax: 'substitutions',
    html: contentOf('text/html'),
    text: contentOf('text/plain'),
  };
  if (body.personalizations.some(({ substitutions }) => Object.keys(substitutions ?? {}).length > 0))
    requireShortTexts(source);
  const { attachments } = readFields(sharedFields, toSharedFields(body, source), namesAt(0));
  return { templateId, source, attachments };
}

const { html, text, attachments: files } = emailInput.shape;
const sharedFields = z.object({ html, text, attachments: files });

function toSharedFields(body: MailBody, source: ContentSource) {
  return {
    html: source.html,
    text: source.text,
    attachments: body.attachments?.map((file) => ({
      filename: file.filename,
      content: file.content,
      contentType: file.type,
      contentId: file.disposition === 'inline' ? (file.content_id ?? file.contentId) : undefined,
    })),
  };
}

function recipientsOf({ to, cc, bcc }: Personalization): SendgridPerson[] {
  return [...(to ?? []), ...(cc ?? []), ...(bcc ?? [])];
}

function refuseContent({ content, template_id }: MailBody): void {
  const types = content?.map(({ type }) => type) ?? [];
  if (new Set(types).size < types.length) throw invalidField('content', 'must not have a type twice');
  if (template_id && types.length > 0)
    throw invalidField('content', 'must not be sent together with template_id');
  if (content?.some(({ value }) => GROUP_LINK.test(value)))
    throw invalidField('content', 'must not contain <%asm_…%>: there are no links for leaving a group');
}

/** The door shows an ID as `d-tpl_…`, because the SDK treats other IDs as legacy templates. */
function toReference(templateId: string): string {
  const bare = templateId.replace(/^d-/, '');
  return decodeId('tpl', bare) ? bare : templateId;
}

function contentLength({ content, attachments }: MailBody): number {
  const texts = (content ?? []).reduce((sum, { value }) => sum + value.length, 0);
  return (attachments ?? []).reduce((sum, { content: file }) => sum + file.length, texts);
}

async function findLeftOf(db: Db, teamId: number, { asm, personalizations }: MailBody): Promise<Set<string>> {
  if (!asm) return new Set();
  const keys = personalizations.flatMap((each) =>
    recipientsOf(each).map(({ email }) => parseAddress(email)?.key ?? ''),
  );
  const topicId = await requireTopic('asm.group_id', findTopicId(db, teamId, asm.group_id));
  return findLeft(db, teamId, topicId, keys);
}

function toEmail(
  body: MailBody,
  own: Personalization,
  at: number,
  { templateId, source, attachments }: Shared,
): EmailInput {
  const substitutions = own.substitutions ?? {};
  requireShortKeys(substitutions, `personalizations.${at}.substitutions`);
  const substitute = createSubstitute(source, substitutions);
  const labels = toLabels(CATEGORY, body.categories ?? []);
  const subject = own.subject ?? body.subject;
  const tracking = body.tracking_settings;
  const fields: Partial<Record<keyof EmailInput, unknown>> = {
    from: write(own.from ?? body.from),
    to: own.to?.map(write) ?? [],
    cc: own.cc?.map(write),
    bcc: own.bcc?.map(write),
    replyTo: (body.reply_to_list ?? (body.reply_to ? [body.reply_to] : [])).map(write),
    subject: typeof subject === 'string' && !templateId ? substitute(subject) : subject,
    // The content was checked once for all. Here it counts only whether there is any.
    text: source.html || source.text ? 'content' : undefined,
    templateId,
    variables: templateId ? variablesOf(own, at) : undefined,
    headers: { ...body.headers, ...own.headers },
    tags: [...labels.tags, ...(body.batch_id ? [{ name: BATCH_TAG, value: body.batch_id }] : [])],
    metadata: { ...toStrings(body.custom_args), ...toStrings(own.custom_args), ...labels.metadata },
    scheduledAt: toTime(own.send_at ?? body.send_at),
    tracking: { opens: tracking?.open_tracking?.enable, clicks: tracking?.click_tracking?.enable },
  };
  return { ...readEmailFields(fields, namesAt(at)), text: null, attachments };
}

function variablesOf({ dynamic_template_data, substitutions }: Personalization, at: number) {
  const field = `personalizations.${at}`;
  return {
    ...toVariables(substitutions ?? {}, `${field}.substitutions`),
    ...flattenModel(dynamic_template_data ?? {}, `${field}.dynamic_template_data`),
  };
}

function write({ email, name }: SendgridPerson): string {
  return writeMailbox(name ?? null, email);
}

function toStrings(values: MailBody['custom_args']): Record<string, string> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]));
}

/** A time in the past counts as now, as at SendGrid. */
function toTime(seconds: number | null | undefined): string | undefined {
  if (seconds === null || seconds === undefined || seconds * 1000 <= Date.now()) return undefined;
  return new Date(seconds * 1000).toISOString();
}

function namesAt(at: number): Record<string, string> {
  const own = (name: string) => `personalizations.${at}.${name}`;
  return {
    to: own('to'),
    cc: own('cc'),
    bcc: own('bcc'),
    subject: own('subject'),
    variables: own('dynamic_template_data'),
    replyTo: 'reply_to',
    html: 'content',
    text: 'content',
    tags: 'categories',
    metadata: 'custom_args',
    scheduledAt: 'send_at',
  };
}
