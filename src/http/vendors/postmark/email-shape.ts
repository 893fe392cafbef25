/** An email in Postmark's format, translated to ours. An unknown field is rejected, because it may change the email. */
import { z } from 'zod';
import type { EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { listMailboxes } from '../../../mail/mime/parse/list-mailboxes.ts';
import { invalidField } from '../../../platform/errors.ts';
import { record, text } from '../../../platform/schema.ts';
import { check, refusal } from '../../requests/validate.ts';
import { readEmailFields } from '../mapping/read-fields.ts';
import { toLabels } from '../mapping/labels.ts';
import { flattenModel } from '../mapping/stored-template.ts';
import { DEFAULT_STREAM, STREAM_TAG } from './postmark-route.ts';

export const TAG = 'tag';

const anything = z.unknown().optional();
const addresses = z.string().max(100_000).nullish();

const sharedFields = {
  From: anything,
  To: addresses,
  Cc: addresses,
  Bcc: addresses,
  ReplyTo: addresses,
  Tag: text({ max: 1000 }).nullish(),
  Headers: z
    .array(z.strictObject({ Name: z.string(), Value: z.string() }))
    .max(100)
    .nullish(),
  TrackOpens: z.boolean().nullish(),
  TrackLinks: z.enum(['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly']).nullish(),
  Metadata: record(z.string(), z.unknown(), { max: 40 }).nullish(),
  Attachments: z
    .array(
      z.strictObject({
        Name: anything,
        Content: anything,
        ContentType: anything,
        ContentID: text({ max: 300 }).nullish(),
        // An attachment with a ContentID is inline, so these two are ignored.
        ContentLength: anything,
        Disposition: anything,
      }),
    )
    .max(100)
    .nullish(),
  MessageStream: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}$/, { error: 'must be the id of a message stream' })
    .nullish(),
};

/** Values that our own emails also have are checked after their translation. */
const postmarkEmail = z.strictObject({
  ...sharedFields,
  Subject: anything,
  HtmlBody: anything,
  TextBody: anything,
});
const postmarkTemplateEmail = z.strictObject({
  ...sharedFields,
  TemplateId: z.int().nullish(),
  TemplateAlias: text({ min: 1, max: 256 }).nullish(),
  TemplateModel: anything,
  InlineCss: z.boolean().nullish(),
});
type SharedFields = Pick<z.output<typeof postmarkEmail>, keyof typeof sharedFields>;

const NAMES = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  replyTo: 'ReplyTo',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  headers: 'Headers',
  attachments: 'Attachments',
  'attachments.filename': 'Name',
  'attachments.content': 'Content',
  'attachments.contentType': 'ContentType',
  'attachments.contentId': 'ContentID',
  tags: 'Tag',
  metadata: 'Metadata',
  variables: 'TemplateModel',
};

export function readEmail(input: unknown): EmailInput {
  const { Subject, HtmlBody, TextBody, ...shared } = checkShape(postmarkEmail, input);
  const fields = { ...toFields(shared), subject: Subject, html: HtmlBody, text: TextBody };
  return readEmailFields(fields, NAMES);
}

/**
 * `reference` is the number or alias of the template, and `inlinesCss` whether its style sheets are to be moved into its
 * elements. The email has no templateId yet.
 */
export function readTemplateEmail(input: unknown): {
  reference: string;
  inlinesCss: boolean;
  fields: ReturnType<typeof toFields>;
} {
  const { TemplateId, TemplateAlias, TemplateModel, InlineCss, ...shared } = checkShape(
    postmarkTemplateEmail,
    input,
  );
  const reference = TemplateAlias ?? TemplateId?.toString();
  if (reference === undefined) throw invalidField('TemplateId', 'or TemplateAlias is required');
  const variables = flattenModel(TemplateModel ?? {}, 'TemplateModel');
  return { reference, inlinesCss: InlineCss === true, fields: { ...toFields(shared), variables } };
}

export function withTemplate(fields: ReturnType<typeof toFields>, templateId: string): EmailInput {
  return readEmailFields({ ...fields, templateId }, NAMES);
}

function checkShape<Shape extends z.ZodType>(shape: Shape, input: unknown): z.output<Shape> {
  const result = check(shape, input);
  if (result.faults !== null) throw refusal(result.faults);
  return result.value;
}

function toFields(email: SharedFields): Partial<Record<keyof EmailInput, unknown>> {
  const labels = toLabels(TAG, email.Tag ? [email.Tag] : []);
  const stream = email.MessageStream ?? DEFAULT_STREAM;
  return {
    from: email.From,
    to: listMailboxes(email.To ?? ''),
    cc: listMailboxes(email.Cc ?? ''),
    bcc: listMailboxes(email.Bcc ?? ''),
    replyTo: listMailboxes(email.ReplyTo ?? ''),
    headers: toHeaders(email.Headers ?? []),
    tags: [...labels.tags, ...(stream === DEFAULT_STREAM ? [] : [{ name: STREAM_TAG, value: stream }])],
    metadata: { ...toTexts(email.Metadata), ...labels.metadata },
    tracking: { opens: email.TrackOpens, clicks: readLinkTracking(email.TrackLinks) },
    attachments: email.Attachments?.map((file) => ({
      filename: file.Name,
      content: file.Content,
      contentType: file.ContentType,
      contentId: file.ContentID?.replace(/^cid:/i, ''),
    })),
  };
}

/** Some clients, such as django-anymail, also send numbers. */
function toTexts(metadata: SharedFields['Metadata']): Record<string, unknown> {
  const entries = Object.entries(metadata ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, /number|boolean/.test(typeof value) ? String(value) : value]),
  );
}

function toHeaders(headers: { Name: string; Value: string }[]): Record<string, string> {
  const names = headers.map(({ Name }) => Name.toLowerCase());
  if (new Set(names).size < names.length) throw invalidField('Headers', 'must not contain a name twice');
  return Object.fromEntries(headers.map(({ Name, Value }) => [Name, Value]));
}

/** Only links in HTML are tracked. */
function readLinkTracking(value: SharedFields['TrackLinks']): boolean | null {
  if (value === 'TextOnly')
    throw invalidField('TrackLinks', 'must not be TextOnly: only links in HTML are tracked');
  return value === null || value === undefined ? null : value !== 'None';
}
