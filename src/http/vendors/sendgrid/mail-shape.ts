/** The body of POST /v3/mail/send. An unknown field is rejected, because it may change the email. */
import { z } from 'zod';
import { record, text } from '../../../platform/schema.ts';

const MAX_PERSONALIZATIONS = 1_000;
const LAST_TIME = 253_402_300_799;

const anything = z.unknown().optional();
const person = z.strictObject({ email: text({ min: 1, max: 320 }), name: text({ max: 300 }).nullish() });
const people = z.array(person).max(MAX_PERSONALIZATIONS).nullish();
const headers = record(z.string(), z.string(), { max: 100 }).nullish();
const customArgs = record(z.string(), z.union([z.string(), z.number(), z.boolean()]), { max: 50 }).nullish();
const sendAt = z.int().min(0).max(LAST_TIME).nullish();

const personalization = z.strictObject({
  from: person.nullish(),
  to: people,
  cc: people,
  bcc: people,
  subject: anything,
  headers,
  substitutions: record(z.string(), z.string(), { max: 100 }).nullish(),
  dynamic_template_data: anything,
  custom_args: customArgs,
  send_at: sendAt,
});

/** A setting that we do not support. It is accepted only if it is off. */
const unsupported = z
  .looseObject({ enable: z.literal(false, { error: 'must be false: this is not supported' }).nullish() })
  .nullish();

export const mailBody = z.strictObject({
  personalizations: z.array(personalization).min(1).max(MAX_PERSONALIZATIONS),
  from: person,
  reply_to: person.nullish(),
  reply_to_list: people,
  subject: anything,
  content: z
    .array(
      z.strictObject({
        type: z.enum(['text/plain', 'text/html'], { error: 'must be text/plain or text/html' }),
        value: z.string(),
      }),
    )
    .max(2)
    .nullish(),
  attachments: z
    .array(
      z.strictObject({
        content: z.string(),
        type: anything,
        filename: anything,
        disposition: z.enum(['attachment', 'inline']).nullish(),
        content_id: anything,
        // The SDK sends the field with the name of its own type.
        contentId: anything,
      }),
    )
    .max(100)
    .nullish(),
  template_id: text({ min: 1, max: 256 }).nullish(),
  headers,
  categories: z
    .union([z.string().max(255), z.array(z.string().min(1).max(255)).max(10)])
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .nullish(),
  custom_args: customArgs,
  send_at: sendAt,
  batch_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,100}$/, { error: 'must be an id from /v3/mail/batch' })
    .nullish(),
  // The groups that a preferences page would show. Our emails have no link to such a page.
  asm: z
    .strictObject({ group_id: z.int(), groups_to_display: z.array(z.int()).max(100).nullish() })
    .nullish(),
  // The sender cannot choose the IP addresses here.
  ip_pool_name: anything,
  mail_settings: z
    .strictObject({
      sandbox_mode: z.strictObject({ enable: z.boolean().nullish() }).nullish(),
      bypass_list_management: unsupported,
      bypass_spam_management: unsupported,
      bypass_bounce_management: unsupported,
      bypass_unsubscribe_management: unsupported,
      footer: unsupported,
      bcc: unsupported,
      spam_check: unsupported,
    })
    .nullish(),
  tracking_settings: z
    .strictObject({
      // Links in plain text are not tracked.
      click_tracking: z
        .strictObject({ enable: z.boolean().nullish(), enable_text: z.boolean().nullish() })
        .nullish(),
      open_tracking: z
        .strictObject({
          enable: z.boolean().nullish(),
          substitution_tag: z.literal('', { error: 'must be left out: this is not supported' }).nullish(),
        })
        .nullish(),
      subscription_tracking: unsupported,
      ganalytics: unsupported,
    })
    .nullish(),
});

export type MailBody = z.output<typeof mailBody>;
export type Personalization = MailBody['personalizations'][number];
export type SendgridPerson = z.output<typeof person>;
