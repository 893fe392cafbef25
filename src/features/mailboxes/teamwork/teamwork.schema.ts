import { z } from 'zod';
import { plainId } from '../../../platform/schema.ts';
import { PRESENCE_STATES, presentPeople } from '../reading/thread-teamwork.schema.ts';

export const assigneeInput = z.object({
  user_id: plainId.nullable().describe('A person with access to the mailbox, or null for nobody'),
  if_assignee: plainId
    .nullish()
    .describe(
      'The user_id of the assignee that you saw, or null. If it is someone else now, the response is 409',
    ),
});
export const presenceInput = z.object({ state: z.enum(PRESENCE_STATES) });
export const presenceAnswer = z.object({ present: presentPeople });

export type AssigneeInput = z.output<typeof assigneeInput>;
