/** The story of a message that arrived: what was checked, which rules acted, and where it is now. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { encodeId } from '../../../platform/ids.ts';

export interface MessageStory {
  kind: 'message';
  id: string;
  threadId: string;
  teamId: number;
  team: string;
  mailbox: string;
  folder: string;
  messageId: string | null;
  from: string;
  to: string[];
  subject: string;
  arrivedAt: string;
  sizeBytes: number | null;
  read: boolean;
  deliveredTo: string | null;
  /** Results of SPF, DKIM, DMARC and ARC. */
  authentication: Record<string, unknown> | null;
  spam: { score: number; reasons: string[] } | null;
  rules: { at: string; rule: string | null; actions: string[]; error: string | null }[];
}

interface MessageRow extends Row<
  'messages',
  | 'thread_id'
  | 'folder'
  | 'message_id'
  | 'sender'
  | 'to_addresses'
  | 'subject'
  | 'created_at'
  | 'size'
  | 'read'
  | 'delivered_to'
> {
  team: Row<'teams'>['name'];
  mailbox: Row<'mailboxes'>['address'];
  authentication: MessageStory['authentication'];
  spam: MessageStory['spam'];
}

const MOST_RULES = 200;

export async function traceMessage(db: Db, teamId: number, id: string): Promise<MessageStory | null> {
  const { rows } = await sql<MessageRow>`
    select m.thread_id, t.name as team, b.address as mailbox, m.folder, m.message_id, m.sender, m.to_addresses,
      m.subject, m.created_at, m.size, m.read, m.delivered_to, m.authentication, m.spam
    from messages m join teams t on t.id = m.team_id
    join mailboxes b on b.team_id = m.team_id and b.id = m.mailbox_id
    where m.team_id = ${teamId} and m.id = ${id}::uuid
  `.execute(db);
  const row = rows[0];
  if (!row) return null;
  const { team, mailbox, folder, subject, read, authentication, spam } = row;
  return {
    kind: 'message',
    id: encodeId('msg', id),
    threadId: encodeId('thr', row.thread_id),
    teamId,
    team,
    mailbox,
    folder,
    messageId: row.message_id,
    from: row.sender,
    to: row.to_addresses,
    subject,
    arrivedAt: row.created_at.toISOString(),
    sizeBytes: row.size,
    read,
    deliveredTo: row.delivered_to,
    authentication,
    spam: spam && { score: spam.score, reasons: spam.reasons },
    rules: await readRules(db, teamId, id),
  };
}

async function readRules(db: Db, teamId: number, id: string): Promise<MessageStory['rules']> {
  const { rows } = await sql<
    Row<'rule_log', 'actions' | 'error'> & {
      at: Row<'rule_log'>['created_at'];
      rule: Row<'mailbox_rules'>['name'] | null;
    }
  >`
    select l.created_at as at, r.name as rule, l.actions, l.error from rule_log l
    left join mailbox_rules r on r.team_id = l.team_id and r.mailbox_id = l.mailbox_id and r.id = l.rule_id
    where l.team_id = ${teamId} and l.message_id = ${id}::uuid order by l.id limit ${MOST_RULES}
  `.execute(db);
  return rows.map(({ at, ...rule }) => ({ at: at.toISOString(), ...rule }));
}
