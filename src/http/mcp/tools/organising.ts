/** Tools that put conversations in order. */
import { z } from 'zod';
import { badRequest } from '../../../platform/errors.ts';
import { CHANGES, tool } from './tool.ts';
import { mailboxId, threadId } from './shapes.ts';

const threadIds = z.array(threadId).min(1).max(50);

export const organisingTools = [
  tool({
    name: 'move_threads',
    title: 'Move conversations, mark them read, star them',
    description:
      'Moves conversations to `inbox`, `archive`, `spam` or a folder of the mailbox, and marks them as read or starred. There is no tool that deletes.',
    hints: CHANGES,
    operations: ['updateThreads'],
    input: z.object({
      mailbox_id: mailboxId,
      thread_ids: threadIds,
      folder: z
        .string()
        .regex(/^(?:inbox|archive|spam|fld_[0-9a-z]{26})$/, {
          error: 'must be inbox, archive, spam or the ID of a folder',
        })
        .optional(),
      read: z.boolean().optional(),
      starred: z.boolean().optional(),
    }),
    output: z.object({ success: z.boolean(), not_found: z.array(z.string()) }),
    run: ({ mailbox_id: id, thread_ids: ids, ...changes }, { call }) => {
      if (Object.values(changes).every((change) => change === undefined))
        throw badRequest('Give folder, read or starred.');
      return call<{ success: boolean; not_found: string[] }>('updateThreads', {
        params: { id },
        body: { ids, ...changes },
      });
    },
    present: ({ success, not_found }) => ({ success, not_found }),
  }),
];
