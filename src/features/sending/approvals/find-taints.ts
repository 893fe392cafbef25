/** What an agent had read when it wrote an email, as far as the person who decides may read it. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayRead } from '../../api/mailbox-access.ts';
import type { ApprovalTaint } from './approvals.schema.ts';

/** People read only the first few. */
const MAX_TAINTS_SHOWN = 20;
const KINDS = { msg: 'message', thr: 'thread', con: 'contact', apw: 'app' } as const;

interface TaintRow extends CamelRow<'threads', 'id' | 'mailbox_id' | 'subject'> {
  threadId: Row<'threads'>['id'];
  sender: Row<'messages'>['sender'] | null;
}

export async function findTaints(
  db: Db,
  caller: Caller,
  taintedBy: readonly string[],
): Promise<ApprovalTaint[]> {
  const shown = taintedBy.slice(0, MAX_TAINTS_SHOWN);
  const idsOf = (prefix: 'msg' | 'thr') => shown.flatMap((item) => decodeId(prefix, item) ?? []);
  const { rows } = await sql<TaintRow>`
    select m.id, m.mailbox_id as "mailboxId", m.thread_id as "threadId", m.subject, m.sender
    from messages m join mailboxes box on box.team_id = m.team_id and box.id = m.mailbox_id
    where m.team_id = ${caller.teamId} and m.id = any(${idsOf('msg')}::uuid[]) and ${mayRead(caller, 'box')}
    union all
    select t.id, t.mailbox_id, t.id, t.subject, null
    from threads t join mailboxes box on box.team_id = t.team_id and box.id = t.mailbox_id
    where t.team_id = ${caller.teamId} and t.id = any(${idsOf('thr')}::uuid[]) and ${mayRead(caller, 'box')}
  `.execute(db);
  const found = new Map(rows.map((row) => [row.id, row]));
  return shown.map((item) => {
    const prefix = prefixOf(item);
    const row = prefix === null ? undefined : found.get(decodeId(prefix, item) ?? '');
    return {
      id: item,
      kind: prefix === null ? 'export' : KINDS[prefix],
      from: row?.sender ?? null,
      subject: row?.subject ?? null,
      mailboxId: row ? encodeId('mbx', row.mailboxId) : null,
      threadId: row ? encodeId('thr', row.threadId) : null,
    };
  });
}

/** An export has no ID of its own. */
function prefixOf(item: string): keyof typeof KINDS | null {
  const prefix = item.slice(0, 3);
  return prefix in KINDS && item[3] === '_' ? (prefix as keyof typeof KINDS) : null;
}
