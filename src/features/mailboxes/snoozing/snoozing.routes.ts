import { route } from '../../api/route.ts';
import { exampleThread } from '../reading/examples.ts';
import { threadAnswer, threadParams } from '../reading/threads.schema.ts';
import { endSnooze, snoozeThread } from './snooze.ts';
import { snoozeInput } from './snoozing.schema.ts';

const common = {
  group: 'Threads',
  path: '/v1/threads/{id}/snooze',
  permission: 'full',
  role: 'member',
  scope: 'mail.labels',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
  errors: ['NOT_FOUND'],
} as const;
const params = { id: exampleThread.id };
const until = '2026-11-16T08:00:00.000Z';

export const snoozingRoutes = [
  route({
    ...common,
    operationId: 'snoozeThread',
    method: 'PUT',
    summary: 'Snooze a thread',
    description:
      'The thread leaves the list of its folder, and comes back to the inbox, unread. While it is snoozed for everyone, its messages are in the folder `snoozed`, also in email apps; moving one of them out ends it. Messages that do not wake the thread join them.',
    params: threadParams,
    body: snoozeInput,
    answer: threadAnswer,
    example: {
      params,
      body: { until, wake: 'time_or_reply', for: 'all' },
      answer: { ...exampleThread, folder: 'snoozed', snoozed_until: until },
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const snoozed = await snoozeThread(db, caller, id, body);
      facts.hintMail();
      return snoozed;
    },
  }),
  route({
    ...common,
    operationId: 'endSnooze',
    method: 'DELETE',
    summary: 'End the snooze of a thread',
    description: 'Ends the snooze for everyone, and your own. The thread is in the inbox again.',
    params: threadParams,
    answer: threadAnswer,
    example: { params, answer: exampleThread },
    async handle({ db, caller, facts, params: { id } }) {
      const thread = await endSnooze(db, caller, id);
      facts.hintMail();
      return thread;
    },
  }),
];
