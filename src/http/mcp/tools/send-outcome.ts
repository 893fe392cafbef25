/** What sending comes to: it is sent, it waits, a person has to approve it, or a policy forbids it. */
import { z } from 'zod';
import type { Fence } from './fence.ts';

export interface SendOutcome {
  id?: string;
  emailId?: string;
  thread_id?: string;
  status?: string;
  send_at?: string;
  policy?: { rule: string; sentence: string } | null;
  [other: string]: unknown;
}

export const outcomeShape = z.object({
  status: z
    .enum(['accepted', 'waiting', 'held', 'blocked'])
    .describe(
      '`accepted`: it is on its way. `waiting`: it will be sent at `send_at`. `held`: a person has to approve it. `blocked`: it will not be sent',
    ),
  id: z.string().nullable().describe('The message or email'),
  thread_id: z.string().nullable(),
  send_at: z.string().nullable(),
  approval_id: z.string().nullable().describe('What a person has to approve'),
  policy: z
    .object({ rule: z.string(), sentence: z.string() })
    .nullable()
    .describe('Which rule held or blocked it, and what would be allowed'),
});

export function presentOutcome(outcome: SendOutcome, _fence: Fence): z.infer<typeof outcomeShape> {
  const { id, emailId, thread_id, send_at, status, policy, approvalId, approval_id } = outcome;
  const approval = approvalId ?? approval_id;
  return {
    status: status === 'held' || status === 'blocked' || status === 'waiting' ? status : 'accepted',
    id: id ?? emailId ?? null,
    thread_id: thread_id ?? null,
    send_at: send_at ?? null,
    approval_id: typeof approval === 'string' ? approval : null,
    policy: policy ?? null,
  };
}
