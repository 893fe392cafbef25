import { z } from 'zod';
import { cursorPage, cursorQuery, timestamp } from '../../../platform/schema.ts';

const sandboxMessage = z
  .object({
    id: z.string(),
    emailId: z.string(),
    mailFrom: z.string().describe('The envelope sender (return path)'),
    recipient: z.string(),
    raw: z.string().describe('The full message with its DKIM signature'),
    createdAt: timestamp,
  })
  .meta({ id: 'SandboxMessage' });

export const sandboxQuery = z.object(cursorQuery);
export const sandboxPage = cursorPage(sandboxMessage);

export type SandboxMessage = z.infer<typeof sandboxMessage>;
