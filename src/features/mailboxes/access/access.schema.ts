import { z } from 'zod';
import { plainId } from '../../../platform/schema.ts';
import { MAILBOX_ROLES } from '../../api/mailbox-access.ts';

const MAX_PEOPLE = 500;

const mode = z
  .enum(['team', 'listed'])
  .describe(
    '`team`: everyone in the team may read and reply. `listed`: only the people in the list have access',
  );
const role = z
  .enum(MAILBOX_ROLES)
  .describe(
    '`read`: read, write notes, assign. `draft`: also write drafts. `reply`: also send, move and delete. `manage`: also change rules and access',
  );

export const accessAnswer = z
  .object({
    mode,
    people: z.array(z.object({ user_id: z.string(), name: z.string().nullable(), email: z.string(), role })),
  })
  .meta({ id: 'MailboxAccess' });

export const accessInput = z.object({
  mode,
  people: z
    .array(z.object({ user_id: plainId, role }))
    .max(MAX_PEOPLE)
    .refine((people) => new Set(people.map(({ user_id }) => user_id)).size === people.length, {
      error: 'must not name a person twice',
    })
    .default([]),
});

export type MailboxAccess = z.infer<typeof accessAnswer>;
export type MailboxAccessInput = z.output<typeof accessInput>;
