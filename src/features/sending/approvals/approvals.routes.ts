import { route } from '../../api/route.ts';
import {
  approvalApprove,
  approvalCount,
  approvalCountQuery,
  approvalPage,
  approvalParams,
  approvalQuery,
  approvalReject,
  approvalSchema,
  type Approval,
} from './approvals.schema.ts';
import { countApprovals, getApproval, listApprovals } from './approvals.ts';
import { approve, reject } from './decide-approval.ts';

const example: Approval = {
  id: 'apr_01kbd8x4zvf7m8rk2q3w5t6y7h',
  by: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h',
  byName: 'Support assistant',
  emailId: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h',
  mailboxId: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h',
  threadId: null,
  why: { rule: 'mode', sentence: 'A person approves every email of this key.' },
  taintedBy: [],
  newText: 'It turns.',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  state: 'pending',
  reason: null,
  decidedBy: null,
  decidedAt: null,
  sendAt: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2026-11-18T09:30:00.000Z',
  taints: [],
  message: {
    from: 'Ada <ada@example.com>',
    to: ['charles@example.org'],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: 'The engine',
    html: null,
    text: 'It turns.',
    attachments: [],
  },
};
const params = { approvalId: example.id };
const { taints: _, message, ...item } = example;
const { from, to, cc, bcc, subject } = message;
const decided = { ...example, decidedBy: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h', decidedAt: example.createdAt };

const common = { group: 'Approvals', role: 'member' } as const;
const reading = {
  ...common,
  permission: 'full',
  scope: 'any',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
} as const;

export const approvalRoutes = [
  route({
    ...reading,
    operationId: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    summary: 'List approvals',
    description:
      'Emails of agents that wait, or waited, for a person. Newest first. People see those of mailboxes in which they may reply, and owners and admins those of no mailbox. A key with a send policy sees its own.',
    query: approvalQuery,
    answer: approvalPage,
    example: {
      answer: { items: [{ ...item, message: { from, to, cc, bcc, subject } }], next_cursor: null },
    },
    handle: ({ db, caller, query }) => listApprovals(db, caller, query),
  }),
  route({
    ...reading,
    operationId: 'countApprovals',
    method: 'GET',
    path: '/v1/approvals/count',
    summary: 'Count pending approvals',
    query: approvalCountQuery,
    answer: approvalCount,
    example: { answer: { pending: 1, any: true } },
    handle: ({ db, caller, query }) => countApprovals(db, caller, query.mailboxId),
  }),
  route({
    ...reading,
    operationId: 'getApproval',
    method: 'GET',
    path: '/v1/approvals/{approvalId}',
    summary: 'Get an approval',
    errors: ['NOT_FOUND'],
    params: approvalParams,
    answer: approvalSchema,
    example: { params, answer: example },
    handle: ({ db, caller, params: { approvalId } }) => getApproval(db, caller, approvalId),
  }),
  route({
    ...common,
    permission: 'person',
    scope: 'none',
    operationId: 'approveEmail',
    method: 'POST',
    path: '/v1/approvals/{approvalId}/approve',
    summary: 'Approve an email of an agent',
    description:
      'Sends exactly the bytes that the hash stands for. Another hash is rejected with 409, and so is an approval that was decided, expired or withdrawn.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: approvalParams,
    body: approvalApprove,
    answer: approvalSchema,
    example: { params, body: { hash: example.hash }, answer: { ...decided, state: 'approved' } },
    async handle({ db, caller, facts, params: { approvalId }, body }) {
      const approved = await approve(db, caller, approvalId, body.hash);
      facts.wakeDeliveryWorkers();
      facts.hintMail();
      return approved;
    },
  }),
  route({
    ...common,
    permission: 'person',
    scope: 'none',
    operationId: 'rejectEmail',
    method: 'POST',
    path: '/v1/approvals/{approvalId}/reject',
    summary: 'Reject an email of an agent',
    description: 'It is not sent. A message of a mailbox becomes a draft again.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: approvalParams,
    body: approvalReject,
    answer: approvalSchema,
    example: {
      params,
      body: { reason: 'Charles prefers a call.' },
      answer: { ...decided, state: 'rejected', reason: 'Charles prefers a call.' },
    },
    async handle({ db, caller, facts, params: { approvalId }, body }) {
      const rejected = await reject(db, caller, approvalId, body.reason ?? null);
      facts.hintMail();
      return rejected;
    },
  }),
];
