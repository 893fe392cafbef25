/**
 * Notes what a key with a send policy reads that an outsider wrote: received messages, threads with one, and contacts
 * that came through a form. This looks at the IDs in every answer, so that a new route needs no change.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { FileAnswer, type CalledRoute } from '../../api/route.ts';

const MAX_VALUES = 200_000;
const MAX_DEPTH = 24;
const ID = /^(msg|thr|con|eml)_[0-9a-z]{26}$/;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Scopes whose routes name in their paths what they do not show. What they answer with counts. */
const NAMING: ReadonlySet<string> = new Set(['mail.reply', 'mail.send', 'mail.labels', 'emails.send']);
/** Routes that show names that outsiders chose, without IDs. */
const SHOWS_NAMES: ReadonlySet<string> = new Set(['findPeople']);

/** UUIDs by the kind of thing. */
interface Found {
  messages: string[];
  threads: string[];
  contacts: string[];
  emails: string[];
}

export async function noteReads(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'by'>,
  { scope, operationId, method }: Pick<CalledRoute, 'scope' | 'operationId' | 'method'>,
  params: unknown,
  answer: unknown,
): Promise<void> {
  const keyId = decodeId('key', caller.by);
  const isFile = answer instanceof FileAnswer;
  const shown = method !== 'GET' && NAMING.has(scope) ? [answer] : [answer, params];
  const found = findIds(isFile ? params : shown);
  const ids = { teamId: caller.teamId, keyId };
  const noted = await noteFound(db, ids, found);
  // A file without a message is an export, and may have values of forms.
  const isExport = isFile && noted === 0 && found.messages.length === 0;
  if (isExport || SHOWS_NAMES.has(operationId)) await noteItem(db, ids, operationId);
}

export async function dropOldReads(db: Db): Promise<void> {
  await sql`delete from agent_reads where read_at < now() - interval '25 hours'`.execute(db);
  await sql`delete from policy_sends where created_at < now() - interval '90 days'`.execute(db);
}

function findIds(value: unknown): Found {
  const found = {
    msg: new Set<string>(),
    thr: new Set<string>(),
    con: new Set<string>(),
    eml: new Set<string>(),
  };
  let left = MAX_VALUES;
  const visit = (each: unknown, depth: number): void => {
    if (left-- <= 0 || depth > MAX_DEPTH) return;
    if (typeof each === 'string') {
      const prefix = ID.exec(each)?.[1] as keyof typeof found | undefined;
      const uuid = prefix ? decodeId(prefix, each) : null;
      if (prefix && uuid) found[prefix].add(uuid);
      // Other vendors' APIs show IDs without a prefix.
      else if (UUID.test(each)) for (const ids of Object.values(found)) ids.add(each.toLowerCase());
    } else if (typeof each === 'object' && each !== null)
      for (const inner of Object.values(each)) visit(inner, depth + 1);
  };
  visit(value, 0);
  return {
    messages: [...found.msg],
    threads: [...found.thr],
    contacts: [...found.con],
    emails: [...found.eml],
  };
}

interface Reader {
  teamId: number;
  keyId: string | null;
}

interface ReadRow extends Row<'messages', 'id'> {
  kind: 'msg' | 'thr' | 'con';
  threadId: Row<'agent_reads'>['thread_id'];
}

async function noteFound(
  db: Db,
  { teamId, keyId }: Reader,
  { messages, threads, contacts, emails }: Found,
): Promise<number> {
  if (messages.length + threads.length + contacts.length + emails.length === 0) return 0;
  const { rows } = await sql<ReadRow>`
    select 'msg' as kind, id, thread_id as "threadId" from messages
    where team_id = ${teamId} and id = any(${messages}::uuid[]) and direction = 'in'
    union all
    select 'thr', t.id, t.id from (
      select unnest(${threads}::uuid[]) as id
      union
      -- An email that was written in a mailbox may quote what it replies to.
      select thread_id from messages where team_id = ${teamId} and email_id = any(${emails}::uuid[])
    ) shown join threads t on t.team_id = ${teamId} and t.id = shown.id
    where exists (
      select from messages m where m.team_id = t.team_id and m.thread_id = t.id and m.direction = 'in')
    union all
    select 'con', c.id, null from contacts c
    where c.team_id = ${teamId} and c.id = any(${contacts}::uuid[]) and c.source in ('form', 'archive', 'referral')
  `.execute(db);
  if (rows.length === 0) return 0;
  await sql`
    insert into agent_reads (team_id, key_id, item, thread_id)
    select ${teamId}, ${keyId}, item, thread_id
    from unnest(${rows.map(({ kind, id }) => encodeId(kind, id))}::text[], ${rows.map(({ threadId }) => threadId)}::uuid[])
      as r (item, thread_id)
    order by item
    on conflict (team_id, key_id, item) do update set read_at = now(), thread_id = excluded.thread_id
  `.execute(db);
  return rows.length;
}

async function noteItem(db: Db, { teamId, keyId }: Reader, item: string): Promise<void> {
  await sql`
    insert into agent_reads (team_id, key_id, item) values (${teamId}, ${keyId}, ${item})
    on conflict (team_id, key_id, item) do update set read_at = now()
  `.execute(db);
}
