import { z } from 'zod';
import { timestamp } from '../../platform/schema.ts';

export const STALLED_KINDS = ['import', 'confirmations', 'verification', 'webhook'] as const;
const stalledKind = z.enum(STALLED_KINDS);

const noticeSchema = z
  .object({
    kind: stalledKind,
    id: z.string().nullable().describe('Of the import, the domain or the webhook; null for confirmations'),
    contactBookId: z.string().nullable().describe('Of the import; null for other kinds'),
    since: timestamp.describe('Since when it does not move'),
    message: z.string(),
  })
  .meta({ id: 'Notice' });

export const noticeList = z.object({ items: z.array(noticeSchema) });

export type StalledKind = z.infer<typeof stalledKind>;
export type Notice = z.infer<typeof noticeSchema>;
