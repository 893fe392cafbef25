/**
 * Emails of agents that wait for a person. People who may reply in the mailbox see and decide them; owners and admins
 * where there is none. A key with a send policy sees its own; other keys see those of the mailboxes that they reach.
 */
import { sql, type RawBuilder } from 'kysely';
import { cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import { sha256 } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { fromStart, orderOf, readPageStart, toPage, type Page } from '../../../platform/pages.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { mayReply } from '../../api/mailbox-access.ts';
import { readContent } from '../emails/read-content.ts';
import { findTaints } from './find-taints.ts';
import type { Approval, ApprovalCount, ApprovalFilter, ApprovalItem } from './approvals.schema.ts';

export interface ApprovalRow
  extends
    Row<
      'approvals',
      | 'id'
      | 'email_id'
      | 'key_id'
      | 'mailbox_id'
      | 'thread_id'
      | 'rule'
      | 'sentence'
      | 'tainted_by'
      | 'new_text'
      | 'hash'
      | 'state'
      | 'reason'
      | 'decided_by'
      | 'decided_at'
      | 'leaves_at'
      | 'created_at'
      | 'expires_at'
    >,
    Row<'emails', 'sender' | 'to_addresses' | 'cc_addresses' | 'bcc_addresses' | 'reply_to' | 'subject'> {
  key_name: Row<'api_keys'>['name'];
}

const FORGOTTEN_MINUTES = 10;
/** A job ends what has expired within a minute. Until then, nobody can decide about it either. */
const STATE = sql<
  Row<'approvals'>['state']
>`case when a.state = 'pending' and a.expires_at <= now() then 'expired' else a.state end`;
const COLUMNS = sql`a.id, a.email_id, a.key_id, a.mailbox_id, a.thread_id, a.rule, a.sentence, a.tainted_by, a.new_text, a.hash,
  ${STATE} as state, a.reason, a.decided_by, a.decided_at, a.leaves_at, a.created_at, a.expires_at,
  e.sender, e.to_addresses, e.cc_addresses, e.bcc_addresses, e.reply_to, e.subject, k.name as key_name`;
const TABLES = sql`approvals a
  join emails e on e.team_id = a.team_id and e.id = a.email_id
  join api_keys k on k.team_id = a.team_id and k.id = a.key_id`;

/** Whether the caller sees the approval `a`. */
function isVisibleTo(caller: Caller): RawBuilder<boolean> {
  if (!caller.person && caller.policyIds.length > 0)
    return sql<boolean>`a.key_id = ${decodeId('key', caller.by)}::uuid`;
  const leads = !caller.person || caller.person.role !== 'member';
  return sql<boolean>`case
    when exists (select from mailboxes box where box.team_id = a.team_id and box.id = a.mailbox_id)
      then exists (
        select from mailboxes box
        where box.team_id = a.team_id and box.id = a.mailbox_id and ${mayReply(caller, 'box')})
    else ${leads}::boolean end`;
}

/** Newest first. */
export async function listApprovals(
  db: Db,
  caller: Caller,
  { state, mailboxId, threadId, ...page }: ApprovalFilter,
): Promise<Page<ApprovalItem>> {
  const start = readPageStart('apr', page);
  const { rows } = await sql<ApprovalRow>`
    select ${COLUMNS} from ${TABLES}
    where a.team_id = ${caller.teamId} and (${state ?? null}::text is null or ${STATE} = ${state ?? null}::text)
      and (${mailboxId === undefined}::boolean or a.mailbox_id = ${decodeId('mbx', mailboxId ?? '')}::uuid)
      and (${threadId === undefined}::boolean or a.thread_id = ${decodeId('thr', threadId ?? '')}::uuid)
      and ${isVisibleTo(caller)} and ${fromStart(start, 'a.id')}
    order by a.id ${orderOf(start)} limit ${page.limit + 1}
  `.execute(db);
  return toPage(rows, page, presentItem);
}

export async function countApprovals(db: Db, caller: Caller, mailboxId?: string): Promise<ApprovalCount> {
  const visible = sql`a.team_id = ${caller.teamId}
    and (${mailboxId === undefined}::boolean or a.mailbox_id = ${decodeId('mbx', mailboxId ?? '')}::uuid)
    and ${isVisibleTo(caller)}`;
  const { rows } = await sql<ApprovalCount>`
    select (select count(*)::integer from approvals a
        where ${visible} and a.state = 'pending' and a.expires_at > now()) as pending,
      exists (select from approvals a where ${visible}) as "any"
  `.execute(db);
  return rows[0]!;
}

export interface Forgotten {
  count: number;
  /** When the first of them was written. */
  since: Date | null;
}

/** The approvals that have waited for a while. */
export async function findForgotten(db: Db, caller: Caller): Promise<Forgotten> {
  const { rows } = await sql<Forgotten>`
    select count(*)::integer as count, min(a.created_at) as since from approvals a
    where a.team_id = ${caller.teamId} and a.state = 'pending' and a.expires_at > now()
      and a.created_at < now() - make_interval(mins => ${FORGOTTEN_MINUTES}) and ${isVisibleTo(caller)}
  `.execute(db);
  return rows[0]!;
}

export async function getApproval(db: Db, caller: Caller, approvalId: string): Promise<Approval> {
  return present(db, caller, await findApproval(db, caller, approvalId));
}

export async function findApproval(db: Db, caller: Caller, approvalId: string): Promise<ApprovalRow> {
  const { rows } = await sql<ApprovalRow>`
    select ${COLUMNS} from ${TABLES}
    where a.team_id = ${caller.teamId} and a.id = ${decodeId('apr', approvalId)}::uuid and ${isVisibleTo(caller)}
  `.execute(db);
  if (!rows[0]) throw notFound('Approval');
  return rows[0];
}

function presentItem(row: ApprovalRow): ApprovalItem {
  return {
    id: encodeId('apr', row.id),
    by: encodeId('key', row.key_id),
    byName: row.key_name,
    emailId: encodeId('eml', row.email_id),
    mailboxId: row.mailbox_id && encodeId('mbx', row.mailbox_id),
    threadId: row.thread_id && encodeId('thr', row.thread_id),
    why: { rule: row.rule, sentence: row.sentence },
    taintedBy: row.tainted_by,
    newText: row.new_text,
    hash: row.hash.toString('hex'),
    state: row.state,
    reason: row.reason,
    decidedBy: row.decided_by && encodeId('usr', row.decided_by),
    decidedAt: row.decided_at?.toISOString() ?? null,
    sendAt: row.leaves_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    message: {
      from: row.sender,
      to: row.to_addresses,
      cc: row.cc_addresses,
      bcc: row.bcc_addresses,
      subject: row.subject,
    },
  };
}

async function present(db: Db, caller: Caller, row: ApprovalRow): Promise<Approval> {
  const item = presentItem(row);
  const raw = await readContent(db, caller.teamId, row.email_id);
  const parsed = raw && (await parseMessage(raw));
  const clean = parsed && (await cleanMailOffLoop(parsed.html));
  return {
    ...item,
    taints: await findTaints(db, caller, row.tainted_by),
    message: {
      ...item.message,
      replyTo: row.reply_to,
      html: clean?.html ?? null,
      text: parsed?.text ?? null,
      attachments: (parsed?.attachments ?? []).map(({ filename, content }, no) => ({
        name: filename ?? `attachment-${no + 1}`,
        size: content.length,
        sha256: sha256(content).toString('hex'),
      })),
    },
  };
}
