import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, timestamp } from '../../../platform/schema.ts';

export const sandboxMessage = z
  .object({
    id: z.string(),
    emailId: z.string(),
    mailFrom: z.string().describe('The envelope sender (return path)'),
    recipient: z.string(),
    subject: z.string(),
    raw: z.string().nullable().describe('The full message with its DKIM signature. Null with `source=false`'),
    createdAt: timestamp,
  })
  .meta({ id: 'SandboxMessage' });

export const sandboxParams = z.object({ sandboxMessageId: pathId() });
export const sandboxQuery = z.object({
  ...cursorQuery,
  source: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('`false` leaves out `raw`'),
});
export const sandboxPage = cursorPage(sandboxMessage);

export type SandboxQuery = z.output<typeof sandboxQuery>;
export type SandboxMessage = z.infer<typeof sandboxMessage>;
