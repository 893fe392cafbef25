import { z } from 'zod';
import { cursorPage, cursorQuery, timestamp } from '../../../platform/schema.ts';
import { emailStatus } from '../../sending/emails/emails.schema.ts';

const contactActivitySchema = z
  .object({
    type: z.enum(['email', 'event']),
    id: z.string().describe('The ID of the email or event'),
    from: z.string().nullable().describe('This and the next fields are null for an event'),
    subject: z.string().nullable(),
    status: emailStatus.nullable().describe('The latest status for this address'),
    campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
    scheduledAt: timestamp.nullable(),
    openedAt: timestamp
      .nullable()
      .describe('When a person first opened it. Null for an email to several addresses'),
    clickedAt: timestamp
      .nullable()
      .describe('When a person first clicked a link. Null for an email to several addresses'),
    event: z
      .object({ name: z.string(), data: z.record(z.string(), z.unknown()), occurredAt: timestamp })
      .nullable()
      .describe('What an application sent by `POST /events`. Null for an email'),
    createdAt: timestamp,
  })
  .meta({ id: 'ContactActivity' });

export const contactActivityQuery = z.object(cursorQuery);
export const contactActivity = cursorPage(contactActivitySchema);
export type ContactActivity = z.infer<typeof contactActivitySchema>;
