import { z } from 'zod';
import { timestamp } from '../../../platform/schema.ts';

export const STALLED_KINDS = ['campaign', 'import', 'confirmations', 'verification', 'webhook'] as const;
/** The kinds that a team can mend itself. */
export const TEAM_KINDS = ['campaign', 'confirmations', 'webhook'] as const;
const stalledKind = z.enum(STALLED_KINDS);
const noticeKind = z.enum([
  ...STALLED_KINDS,
  'relay',
  'disk',
  'storage',
  'base-url',
  'brake',
  'approvals',
  'link-host',
  'certificate',
  'blocklist',
  'rule',
  'automation',
]);

const noticeSchema = z
  .object({
    kind: noticeKind,
    id: z
      .string()
      .nullable()
      .describe(
        'The ID of the campaign, automation, import, domain, webhook or mailbox (of a rule); null for other kinds',
      ),
    contactBookId: z.string().nullable().describe('The contact book of the import; null for other kinds'),
    since: timestamp.describe('When it last made progress, or began to fail'),
    message: z.string(),
  })
  .meta({ id: 'Notice' });

export const noticeList = z.object({ items: z.array(noticeSchema) });

export type StalledKind = z.infer<typeof stalledKind>;
export type Notice = z.infer<typeof noticeSchema>;
