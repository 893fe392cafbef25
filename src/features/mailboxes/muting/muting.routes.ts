import { route } from '../../api/route.ts';
import { exampleThread } from '../reading/examples.ts';
import { threadAnswer, threadParams } from '../reading/threads.schema.ts';
import { setMuted } from './mute-thread.ts';

const common = {
  group: 'Threads',
  path: '/v1/threads/{id}/mute',
  permission: 'full',
  role: 'member',
  scope: 'mail.labels',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
  errors: ['NOT_FOUND'],
} as const;
const params = { id: exampleThread.id };

export const mutingRoutes = [
  route({
    ...common,
    operationId: 'muteThread',
    method: 'PUT',
    summary: 'Mute a thread',
    description:
      'The thread leaves the inbox, for everyone. New messages of it are stored in the archive, unread, and nobody is notified of them. `is:muted` finds muted threads.',
    params: threadParams,
    answer: threadAnswer,
    example: { params, answer: { ...exampleThread, folder: 'archive', muted: true } },
    async handle({ db, caller, facts, params: { id } }) {
      const thread = await setMuted(db, caller, id, true);
      facts.hintMail();
      return thread;
    },
  }),
  route({
    ...common,
    operationId: 'unmuteThread',
    method: 'DELETE',
    summary: 'Unmute a thread',
    description: 'New messages of the thread reach the inbox again. The thread stays where it is.',
    params: threadParams,
    answer: threadAnswer,
    example: { params, answer: exampleThread },
    async handle({ db, caller, facts, params: { id } }) {
      const thread = await setMuted(db, caller, id, false);
      facts.hintMail();
      return thread;
    },
  }),
];
