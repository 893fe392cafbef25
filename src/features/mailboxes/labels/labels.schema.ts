import { z } from 'zod';
import { KEYWORD } from '../../../mail/imap/keyword-form.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

export const MAX_LABELS = 200;
export const MAX_LABELS_OF_THREAD = 50;

const label = z
  .object({
    id: z.string(),
    name: z.string(),
    color: z.string().describe('As `#rrggbb`'),
    keyword: z
      .string()
      .describe('The IMAP keyword, which messages have in `labels`. It stays when the name changes'),
    created_at: timestamp,
  })
  .meta({ id: 'MailboxLabel' });

const name = text({ min: 1, max: 60, trim: true });
const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour such as #1a73e8' })
  .transform((value) => value.toLowerCase())
  .meta({ pattern: '^#[0-9a-fA-F]{6}$', examples: ['#1a73e8'] });

export const labelInput = z.object({ name, color: color.nullish().describe('By default one is chosen') });
export const labelUpdate = z
  .object({ name: name.optional(), color: color.optional() })
  .refine((update) => update.name !== undefined || update.color !== undefined, {
    error: 'must have name, color or both',
  });
export const labelParams = z.object({ id: plainId, labelId: plainId });
export const labelAnswer = label;
export const labelList = z.object({ items: z.array(label).max(MAX_LABELS) });
export const labelDeleted = z.object({ id: z.string(), success: z.boolean() });

/** IDs of labels have the same form. */
const keyword = z.string().regex(KEYWORD, {
  error: 'must be the ID or the keyword of a label: 1 to 100 ASCII characters without spaces',
});
export const threadLabelsInput = z.object({
  labels: z
    .array(keyword)
    .max(MAX_LABELS_OF_THREAD)
    .describe('IDs or keywords. They replace the labels of all messages of the thread'),
});

export type MailboxLabel = z.infer<typeof label>;
export type LabelInput = z.output<typeof labelInput>;
export type LabelUpdate = z.output<typeof labelUpdate>;
