/** The fields of a thread that concern the people who share a mailbox. */
import { z } from 'zod';
import { timestamp } from '../../../platform/schema.ts';

export const PRESENCE_STATES = ['viewing', 'replying'] as const;

export const presentPeople = z
  .array(
    z
      .object({ user_id: z.string(), name: z.string(), state: z.enum(PRESENCE_STATES) })
      .meta({ id: 'PresentPerson' }),
  )
  .describe('Who else has the thread open');

export const teamworkFields = {
  labels: z.array(z.string()).describe('The keywords of the labels of all its messages, sorted'),
  has_attachment: z.boolean().describe('Whether a message has files that are not shown inside it'),
  assignee: z
    .object({ user_id: z.string(), name: z.string() })
    .meta({ id: 'ThreadAssignee' })
    .nullable()
    .describe('Who is to answer'),
  snoozed_until: timestamp
    .nullable()
    .describe('When it comes back, if it is snoozed for everyone or for you'),
  note_count: z.int(),
  reminder_at: timestamp
    .nullable()
    .describe('When it comes back to the inbox if nobody has answered by then'),
  waiting_since: timestamp
    .nullable()
    .describe(
      'The time of the first received message that nobody has answered. Null in archive, trash and spam',
    ),
  present: presentPeople,
};

const teamwork = z.object(teamworkFields);
export type ThreadTeamwork = z.infer<typeof teamwork>;

/** Of a thread that nobody has worked on. */
export const NO_TEAMWORK: ThreadTeamwork = {
  labels: [],
  has_attachment: false,
  assignee: null,
  snoozed_until: null,
  note_count: 0,
  reminder_at: null,
  waiting_since: null,
  present: [],
};
