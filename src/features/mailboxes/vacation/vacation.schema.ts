import { z } from 'zod';
import { dateTime, plainId, text, timestamp } from '../../../platform/schema.ts';

/** The limits are in characters. */
export const MAX_VACATION = { subject: 998, textBody: 50_000, htmlBody: 200_000 };

const automaticReplySchema = z
  .object({
    enabled: z.boolean(),
    from: timestamp.nullable().describe('Mail that arrives earlier gets no reply'),
    until: timestamp.nullable().describe('Mail that arrives at this time or later gets no reply'),
    subject: z.string().nullable().describe('Null: `Auto:` and the subject of the message'),
    text: z.string().nullable(),
    html: z.string().nullable(),
  })
  .meta({ id: 'AutomaticReply' });

const subject = text({ min: 1, max: MAX_VACATION.subject, trim: true }).refine(
  (value) => !/\p{Cc}/u.test(value),
  { error: 'must not contain line breaks or other control characters' },
);

export const automaticReplyUpdate = z.object({
  enabled: z.boolean().optional(),
  from: dateTime.nullish(),
  until: dateTime.nullish(),
  subject: subject.nullish(),
  text: text({ max: MAX_VACATION.textBody }).nullish(),
  html: text({ max: MAX_VACATION.htmlBody }).nullish(),
});
export const automaticReplyParams = z.object({ id: plainId });
export const automaticReplyAnswer = automaticReplySchema;

export type AutomaticReply = z.infer<typeof automaticReplySchema>;
export type AutomaticReplyUpdate = z.output<typeof automaticReplyUpdate>;
