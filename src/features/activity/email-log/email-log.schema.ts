import { z } from 'zod';
import { cursorPage, cursorQuery, timestamp } from '../../../platform/schema.ts';
import { emailStatus } from '../../sending/emails/emails.schema.ts';

const contactEmailSchema = z
  .object({
    id: z.string().describe('The ID of the email'),
    from: z.string(),
    subject: z.string(),
    status: emailStatus.describe('The latest status for this address'),
    campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
    scheduledAt: timestamp.nullable(),
    openedAt: timestamp
      .nullable()
      .describe('When a person first opened it. Null for an email to several addresses'),
    clickedAt: timestamp
      .nullable()
      .describe('When a person first clicked a link. Null for an email to several addresses'),
    createdAt: timestamp,
  })
  .meta({ id: 'ContactEmail' });

export const contactActivityQuery = z.object(cursorQuery);
export const contactActivity = cursorPage(contactEmailSchema);
export type ContactEmail = z.infer<typeof contactEmailSchema>;
