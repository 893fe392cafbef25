import { z } from 'zod';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

const appPasswordSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    person: z
      .string()
      .nullable()
      .describe('The email address of its owner, or null if an API key created it'),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('When an app last logged in with it'),
    last_used_from: z.string().nullable().describe('The IP address of that app'),
  })
  .meta({ id: 'AppPassword' });

export const createdAppPassword = z
  .object({
    id: z.string(),
    name: z.string(),
    password: z.string().describe('The password. Returned only here'),
    created_at: timestamp,
  })
  .meta({ id: 'CreatedAppPassword' });

const serverSchema = z.object({
  host: z.string(),
  port: z.int(),
  security: z.enum(['TLS', 'STARTTLS']),
});

export const mailSettings = z
  .object({
    user: z.string().describe('The user name in all apps'),
    imap: z.array(serverSchema).describe('The servers to read mail from, the preferred one first'),
    smtp: z.array(serverSchema).describe('The servers to send mail through, the preferred one first'),
    jmap: z.string().describe('The URL for apps that use JMAP'),
  })
  .meta({ id: 'MailSettings' });
export type MailSettings = z.infer<typeof mailSettings>;

export const appPasswordInput = z.object({
  name: text({ min: 1, max: 200, trim: true }).describe('The device or app that will use it'),
});
export const appPasswordParams = z.object({ id: plainId, appPasswordId: plainId });
export const appPasswordList = z.object({ items: z.array(appPasswordSchema) });
export const appPasswordDeleted = z.object({ id: z.string(), success: z.boolean() });

export type AppPassword = z.infer<typeof appPasswordSchema>;
export type CreatedAppPassword = z.infer<typeof createdAppPassword>;
export type AppPasswordInput = z.output<typeof appPasswordInput>;
