/** Describes the events of mailboxes, their threads, drafts and notes. */
import type { EventType } from '../events/event-types.ts';
import type { EventDescription, EventFields } from './event-description.ts';

const MAILBOX = { description: 'The mailbox', example: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const MESSAGE = { description: 'The message', example: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h' };

function message(description: string, direction: 'in' | 'out'): EventDescription {
  const [from, to] =
    direction === 'in' ? ['grace@example.org', 'ada@example.com'] : ['ada@example.com', 'grace@example.org'];
  const fields: EventFields = {
    mailboxId: MAILBOX,
    messageId: MESSAGE,
    threadId: { description: 'The thread', example: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    ...(direction === 'out'
      ? {
          emailId: { description: 'The email', example: 'eml_01kbd8x4zvf7m8rk2q3w5t6y7h' },
          recipient: { description: 'The recipient that the event is about', example: to },
        }
      : {}),
    from: { description: 'The sender', example: from },
    to: { description: 'The To addresses', example: [to] },
    subject: { description: 'The subject', example: 'Lunch' },
  };
  return { description, fields };
}

const BY = {
  description: 'Who did it: `user:usr_…`, `key_…`, `rule:…` or `automation`',
  example: 'key_01kbd8x4zvf7m8rk2q3w5t6y7h',
};
const USER = 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h';

/** Changes of threads carry no content, because not everyone may read the mailbox. */
function thread(description: string, fields: EventFields): EventDescription {
  return {
    description,
    fields: {
      mailboxId: MAILBOX,
      threadId: { description: 'The thread', example: 'thr_01kbd8x4zvf7m8rk2q3w5t6y7h' },
      by: BY,
      ...fields,
    },
  };
}

function mailbox(description: string): EventDescription {
  return {
    description,
    fields: {
      mailboxId: MAILBOX,
      address: { description: 'Its address', example: 'support@example.com' },
      by: BY,
    },
  };
}

function draft(description: string, fields: EventFields = {}): EventDescription {
  return thread(description, {
    draftId: { description: 'The draft', example: 'msg_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    ...fields,
  });
}

export const MAILBOX_EVENTS: Record<Extract<EventType, `mailbox.${string}`>, EventDescription> = {
  'mailbox.created': mailbox('A mailbox was created.'),
  'mailbox.updated': mailbox('The settings of a mailbox were changed.'),
  'mailbox.deleted': mailbox('A mailbox was deleted.'),
  'mailbox.message.received': message('A mailbox received a message.', 'in'),
  'mailbox.message.sent': message('A message was sent from a mailbox and can no longer be undone.', 'out'),
  'mailbox.message.bounced': message('A message sent from a mailbox could not be delivered.', 'out'),
  'mailbox.thread.created': thread('A thread began with a message.', { messageId: MESSAGE }),
  'mailbox.thread.received': thread(
    'A thread got a message from outside. This event has no content, unlike `mailbox.message.received`.',
    { messageId: MESSAGE },
  ),
  'mailbox.thread.assigned': thread('A thread was assigned to someone.', {
    userId: { description: 'The person', example: USER },
    previousUserId: { description: 'The person before; or null', example: null },
  }),
  'mailbox.thread.unassigned': thread('A thread is assigned to nobody any more.', {
    previousUserId: { description: 'The person before', example: USER },
  }),
  'mailbox.thread.labelled': thread('Labels of a thread were added or removed.', {
    added: { description: 'The keywords that were added', example: ['billing'] },
    removed: { description: 'The keywords that were removed', example: [] },
  }),
  'mailbox.thread.snoozed': thread('A thread was snoozed for everyone.', {
    until: { description: 'When it returns', example: '2026-11-16T08:00:00.000Z' },
  }),
  'mailbox.thread.returned': thread('A snoozed thread came back, or a reminder was due.', {
    reason: { description: '`time`, `reply`, `reminder` or `ended`', example: 'time' },
  }),
  'mailbox.thread.moved': thread('A thread was moved to another folder.', {
    folder: { description: 'The folder', example: 'archive' },
    previousFolder: { description: 'The folder before', example: 'inbox' },
  }),
  'mailbox.note.created': thread('Someone wrote a note. The text is not included.', {
    noteId: { description: 'The note', example: 'not_01kbd8x4zvf7m8rk2q3w5t6y7h' },
    mentions: { description: 'The people who are mentioned', example: [] },
  }),
  'mailbox.draft.created': draft('A draft was created.'),
  'mailbox.draft.updated': draft('A draft was saved again.'),
  'mailbox.draft.sent': draft('A draft was sent, now or at a later time.', { messageId: MESSAGE }),
  'mailbox.draft.deleted': draft('A draft was deleted.'),
};
