import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';

const state = z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn']);

const head = {
  from: z.string(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  subject: z.string(),
};

const approval = {
  id: z.string(),
  by: z.string().describe('The API key that wrote the email'),
  byName: z.string().describe('The name of the key'),
  emailId: z.string(),
  mailboxId: z.string().nullable().describe('The mailbox that it is from. People who may reply there decide'),
  threadId: z.string().nullable().describe('The thread that it replies to'),
  why: z
    .object({ rule: z.string(), sentence: z.string() })
    .describe('The rule of the send policy that demands the approval, and why'),
  taintedBy: z
    .array(z.string())
    .describe(
      'Messages, threads and contacts that outsiders wrote and the key had read in the 24 hours before',
    ),
  newText: z
    .string()
    .nullable()
    .describe(
      'The first 4,000 characters of what the email says, without what it quotes from its thread. Null once the content was deleted',
    ),
  hash: z.string().describe('Approve with this hash. It stands for the recipients and every byte'),
  state,
  reason: z.string().nullable().describe('Why it was rejected'),
  decidedBy: z.string().nullable(),
  decidedAt: timestamp.nullable(),
  sendAt: timestamp.nullable().describe('When it leaves after the approval. Null: immediately'),
  createdAt: timestamp,
  expiresAt: timestamp,
};

const taint = z
  .object({
    id: z.string(),
    kind: z.enum(['message', 'thread', 'contact', 'app', 'export']),
    from: z.string().nullable(),
    subject: z.string().nullable().describe('Null if you may not read it, or it was deleted'),
    mailboxId: z.string().nullable(),
    threadId: z.string().nullable(),
  })
  .meta({ id: 'ApprovalTaint' });

const approvalItem = z.object({ ...approval, message: z.object(head) }).meta({ id: 'ApprovalItem' });

export const approvalSchema = z
  .object({
    ...approval,
    taints: z.array(taint).describe('The first 20 of `taintedBy`, with what they are'),
    message: z.object({
      ...head,
      replyTo: z.array(z.string()),
      html: z.string().nullable().describe('Cleaned for display'),
      text: z.string().nullable(),
      attachments: z.array(z.object({ name: z.string(), size: z.int(), sha256: z.string() })),
    }),
  })
  .meta({ id: 'Approval' });

export const approvalQuery = z.object({
  ...cursorQuery,
  state: state.optional().describe('Only approvals in this state'),
  mailboxId: pathId().optional().describe('Only those of this mailbox'),
  threadId: pathId().optional().describe('Only replies to this thread'),
});
export const approvalPage = cursorPage(approvalItem);
export const approvalParams = z.object({ approvalId: pathId() });
export const approvalCountQuery = z.object({
  mailboxId: pathId().optional().describe('Only those of this mailbox'),
});
export const approvalCount = z.object({
  pending: z.int(),
  any: z.boolean().describe('Whether there are any, in any state'),
});
export const approvalApprove = z.object({ hash: text({ min: 1, max: 128 }) });
export const approvalReject = z.object({
  reason: text({ max: 2_000, trim: true }).nullish().describe('The agent can read it'),
});

export type ApprovalCount = z.infer<typeof approvalCount>;
export type ApprovalItem = z.infer<typeof approvalItem>;
export type ApprovalTaint = z.infer<typeof taint>;
export type Approval = z.infer<typeof approvalSchema>;
export type ApprovalFilter = z.output<typeof approvalQuery>;
