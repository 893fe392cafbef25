/** What people and rules do with threads and mailboxes. */
import { z } from 'zod';
import { cursorPage, cursorQuery, timestamp } from '../../../platform/schema.ts';
import { actorShape } from './present-actor.ts';

export type ActivityType =
  | 'assigned'
  | 'unassigned'
  | 'snoozed'
  | 'returned'
  | 'muted'
  | 'unmuted'
  | 'labelled'
  | 'unlabelled'
  | 'moved'
  | 'noted'
  | 'sent'
  | 'answered'
  | 'merged'
  | 'unmerged'
  | 'split'
  | 'rule'
  | 'reminder'
  | 'draft_taken'
  | 'access_changed'
  | 'key_created';

const activity = z
  .object({
    id: z.string(),
    type: z
      .string()
      .describe(
        'For example `assigned`, `unassigned`, `snoozed`, `returned`, `labelled`, `moved`, `noted`, `sent`, `answered` (a message sent as a reply), `merged`, `split`, `rule`, `reminder` or `draft_taken`',
      ),
    actor: actorShape,
    by: z.string().describe('`user:usr_…`, `key_…`, `rule:rul_…` or a part of the server'),
    data: z.record(z.string(), z.unknown()).describe('Details that depend on the type'),
    at: timestamp,
  })
  .meta({ id: 'ThreadActivity' });

export const activityPage = cursorPage(activity);
export const activityQuery = z.object(cursorQuery);
export type ThreadActivity = z.infer<typeof activity>;
