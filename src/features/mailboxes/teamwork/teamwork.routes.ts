import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { activityPage, activityQuery } from '../activity/activity.schema.ts';
import { listActivity } from './list-activity.ts';
import { exampleThread } from '../reading/examples.ts';
import { threadAnswer, threadParams } from '../reading/threads.schema.ts';
import { assignThread } from './assign.ts';
import {
  noteAnswer,
  noteDeleted,
  noteInput,
  notePage,
  noteParams,
  noteQuery,
  noteUpdate,
  type ThreadNote,
} from './notes.schema.ts';
import { changeNote, deleteNote, listNotes, writeNote } from './notes.ts';
import { setPresence } from './presence.ts';
import { assigneeInput, presenceAnswer, presenceInput } from './teamwork.schema.ts';

const common = {
  group: 'Threads',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} as const;
const thread = { id: exampleThread.id };
const person = { user_id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h', name: 'Ada Lovelace' };
const at = '2026-11-15T09:30:00.000Z';
const exampleNote: ThreadNote = {
  id: 'not_01kbd8x4zvf7m8rk2q3w5t6y7h',
  thread_id: thread.id,
  author: person,
  html: '<p>Please call him first.</p>',
  mentions: [],
  created_at: at,
  updated_at: at,
};
const note = { id: exampleNote.id };

export const teamworkRoutes = [
  route({
    ...common,
    operationId: 'assignThread',
    method: 'PUT',
    path: '/v1/threads/{id}/assignee',
    scope: 'mail.labels',
    summary: 'Assign a thread',
    description:
      'Assigns the thread to a person with access to the mailbox, or to nobody. With `if_assignee`, the response is 409 if someone else was faster.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: threadParams,
    body: assigneeInput,
    answer: threadAnswer,
    example: { params: thread, body: { user_id: person.user_id, if_assignee: null }, answer: exampleThread },
    async handle({ db, caller, facts, params: { id }, body }) {
      const assigned = await assignThread(db, caller, id, body);
      facts.hintMail();
      return assigned;
    },
  }),
  route({
    ...common,
    operationId: 'listThreadActivity',
    method: 'GET',
    path: '/v1/threads/{id}/activity',
    scope: 'mail.read',
    summary: 'List the activity of a thread',
    description: 'Who did what, newest first.',
    params: threadParams,
    query: activityQuery,
    answer: activityPage,
    example: {
      params: thread,
      answer: {
        items: [
          {
            id: 'act_01kbd8x4zvf7m8rk2q3w5t6y7h',
            type: 'assigned',
            actor: person,
            by: `user:${person.user_id}`,
            data: { user_id: person.user_id, name: person.name },
            at,
          },
        ],
        next_cursor: null,
      },
    },
    handle: ({ db, caller, params: { id }, query }) => listActivity(db, caller, id, query),
  }),
  route({
    ...common,
    operationId: 'setPresence',
    method: 'PUT',
    path: '/v1/threads/{id}/presence',
    scope: 'mail.read',
    storesLittle: true,
    summary: 'Say that you have a thread open',
    description:
      'Holds for 30 seconds. The live events of the mailbox tell the others (`presence.changed`). Only for people who are signed in.',
    params: threadParams,
    body: presenceInput,
    answer: presenceAnswer,
    example: {
      params: thread,
      body: { state: 'viewing' },
      answer: { present: [{ ...person, state: 'replying' }] },
    },
    async handle({ db, caller, facts, params: { id }, body }) {
      const { present, isNew } = await setPresence(db, caller, id, body.state);
      if (isNew) facts.hintMail();
      return { present };
    },
  }),
  route({
    ...common,
    operationId: 'createNote',
    method: 'POST',
    path: '/v1/threads/{id}/notes',
    scope: 'notes.write',
    summary: 'Write a note',
    description:
      'Notes are for the people who share the mailbox. They are no messages: email apps, replies and forwarded messages never have them. At most 1,000 per thread.',
    params: threadParams,
    body: noteInput,
    answer: noteAnswer,
    example: { params: thread, body: { html: exampleNote.html, mentions: [] }, answer: exampleNote },
    async handle({ db, caller, facts, params: { id }, body }) {
      const written = await writeNote(db, caller, id, body);
      facts.hintMail();
      return written;
    },
  }),
  route({
    ...common,
    operationId: 'listNotes',
    method: 'GET',
    path: '/v1/threads/{id}/notes',
    scope: 'notes.read',
    summary: 'List the notes of a thread',
    description: 'Newest first.',
    params: threadParams,
    query: noteQuery,
    answer: notePage,
    example: { params: thread, answer: { items: [exampleNote], next_cursor: null } },
    handle: ({ db, caller, params: { id }, query }) => listNotes(db, caller, id, query),
  }),
  route({
    ...common,
    operationId: 'updateNote',
    method: 'PATCH',
    path: '/v1/notes/{id}',
    scope: 'notes.write',
    summary: 'Change a note',
    description: 'Only its author can do this.',
    params: noteParams,
    body: noteUpdate,
    answer: noteAnswer,
    example: { params: note, body: { html: exampleNote.html }, answer: exampleNote },
    async handle({ db, caller, facts, params: { id }, body }) {
      const changed = await changeNote(db, caller, id, body);
      facts.hintMail();
      return changed;
    },
  }),
  route({
    ...common,
    operationId: 'deleteNote',
    method: 'DELETE',
    path: '/v1/notes/{id}',
    scope: 'notes.write',
    summary: 'Delete a note',
    description: 'Only its author can do this.',
    params: noteParams,
    answer: noteDeleted,
    example: { params: note, answer: { id: note.id, success: true } },
    async handle({ db, caller, facts, params: { id } }) {
      await deleteNote(db, caller, id);
      facts.hintMail();
      return { id, success: true };
    },
  }),
];
