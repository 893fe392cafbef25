/** Writes entries of the audit log, in the transaction of the change. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { databaseNow } from '../../platform/database/database.ts';
import { decodeId, newUuid } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Caller } from '../api/caller.ts';
import { auditKeysOf } from './audit-keys.ts';
import { redactToJson } from './redact.ts';

export interface AuditActor {
  kind: Row<'audit_entries', 'actor_kind'>['actor_kind'];
  /** The public ID of a user or key. */
  id: string | null;
  ip: string | null;
}

export const OPERATOR: AuditActor = { kind: 'operator', id: null, ip: null };
export const SYSTEM: AuditActor = { kind: 'system', id: null, ip: null };

export interface AuditRecord {
  actor: AuditActor;
  action: string;
  /** The public ID of what was changed. */
  target: string | null;
  before?: unknown;
  after?: unknown;
  requestId?: string | null;
}

/** What stands in `content`, in this order. */
export interface AuditContent {
  name: string | null;
  ip: string | null;
  before: unknown;
  after: unknown;
}

const MAX_STATE_BYTES = 8_192;
const MAX_TARGET = 200;

export function actorOf(caller: Caller, ip: string): AuditActor {
  return caller.person
    ? { kind: 'person', id: caller.person.userId, ip }
    : { kind: 'key', id: caller.by, ip };
}

export async function recordAudit(
  db: Db,
  secret: Buffer,
  teamId: number,
  { actor, action, target, before, after, requestId = null }: AuditRecord,
): Promise<void> {
  const content = toContent(await nameActor(db, teamId, actor), actor.ip, before, after);
  const at = await databaseNow(db);
  await sql`
    insert into audit_entries
      (team_id, id, at, actor_kind, actor_id, action, target, request_id, content, content_hash)
    values
      (${teamId}, ${newUuid()}, ${at}, ${actor.kind}, ${actor.id}, ${action}, ${target?.slice(0, MAX_TARGET) ?? null},
       ${requestId}, ${content}, ${auditKeysOf(secret).mac(content)})`.execute(db);
}

/** The states are texts of JSON already, so that each is limited on its own. */
function toContent(name: string | null, ip: string | null, before: unknown, after: unknown): string {
  const head = JSON.stringify({ name, ip });
  return `${head.slice(0, -1)},"before":${toState(before)},"after":${toState(after)}}`;
}

function toState(value: unknown): string {
  return redactToJson(value, MAX_STATE_BYTES) ?? 'null';
}

/** The name stays in the entry when the person or key is gone. */
async function nameActor(db: Db, teamId: number, { kind, id }: AuditActor): Promise<string | null> {
  if (id === null) return null;
  if (kind === 'person') {
    const user = await db
      .selectFrom('users')
      .select('email')
      .where('id', '=', decodeId('usr', id))
      .executeTakeFirst();
    return user?.email ?? null;
  }
  const key = await db
    .selectFrom('api_keys')
    .select('name')
    .where('team_id', '=', teamId)
    .where('id', '=', decodeId('key', id))
    .executeTakeFirst();
  return key?.name ?? null;
}
