/** The limit program's route for reading mail: one query for the same messages, returned unchanged. */
import type { LimitRoute } from './limit-route.ts';

export const mailboxLimits: Record<string, LimitRoute> = {
  readThread: {
    statement: async () => `
      select id, direction, sender, to_addresses, cc_addresses, subject, text, html, read, message_id, created_at
      from messages where team_id = $1 and thread_id = $2 order by created_at, id`,
    parameters: (teamId, [threadId]) => [teamId, threadId],
    answer: (rows) => (rows.length === 0 ? undefined : rows),
  },
};
