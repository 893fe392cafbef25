/** Writes the activity of threads and mailboxes, in the transaction of the change. */
import { sql } from 'kysely';
import { toJson, type Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Caller, Person } from '../../api/caller.ts';
import type { ActivityType } from './activity.schema.ts';

/** Who did something: a caller, or a part of the server such as `rule:rul_…`. */
export interface Actor extends Pick<Caller, 'teamId' | 'by'> {
  person?: Pick<Person, 'userId'> | null;
}

export interface ActivityToRecord {
  /** UUIDs. A thread ID of null concerns the mailbox as a whole. */
  mailboxId: string;
  threadId: string | null;
  type: ActivityType;
  data?: Record<string, unknown>;
}

export async function recordActivity(trx: Db, actor: Actor, all: readonly ActivityToRecord[]): Promise<void> {
  if (all.length === 0) return;
  const rows = all.map(({ mailboxId, threadId, type, data }) => ({
    id: newUuid(),
    mailbox_id: mailboxId,
    thread_id: threadId,
    type,
    data: data ?? {},
  }));
  await sql`
    insert into mailbox_activity (team_id, id, mailbox_id, thread_id, actor, actor_name, type, data)
    select ${actor.teamId}, r.id, r.mailbox_id, r.thread_id, ${actor.by},
      (select coalesce(u.name, u.email) from users u where u.id = ${userKeyOf(actor)}), r.type, r.data
    from json_to_recordset(${toJson(rows)}::json) as r (id uuid, mailbox_id uuid, thread_id uuid, type text, data jsonb)
  `.execute(trx);
}

/** The UUID of the person, or null. */
export function userKeyOf({ person }: Pick<Actor, 'person'>): string | null {
  return person ? decodeId('usr', person.userId) : null;
}

/** An email app. The ID is the UUID of the person, or null for an app password that an API key made. */
export function appActor({ teamId, userId }: { teamId: number; userId: string | null }): Actor {
  if (userId === null) return { teamId, by: 'email-app' };
  const person = { userId: encodeId('usr', userId) };
  return { teamId, by: `user:${person.userId}`, person };
}
