/** The story of an email that was sent: who submitted it, what held it, every attempt, and what recipients did. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId, uuidAt } from '../../../platform/ids.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { describeEvent } from './describe-event.ts';

interface TraceStep {
  at: string;
  recipient: string | null;
  /** What happened, as a sentence. */
  sentence: string;
  type: string;
  data: Record<string, unknown> | null;
}

export interface EmailStory {
  kind: 'email';
  id: string;
  teamId: number;
  team: string;
  status: string;
  /** How it was submitted. */
  source: string;
  /** The API key, if it is known: of HTTP requests for 30 days, and of keys with a policy. */
  key: { id: string; name: string | null } | null;
  campaignId: string | null;
  messageId: string;
  from: string;
  to: string[];
  subject: string;
  recipients: { address: string; status: string; attempts: number | null; nextAttemptAt: string | null }[];
  approval: { state: string; because: string; reason: string | null } | null;
  opens: number;
  clicks: number;
  steps: TraceStep[];
}

type EmailRow = CamelRow<
  'emails',
  'team_id' | 'id' | 'status' | 'source' | 'campaign_id' | 'message_id' | 'subject'
> & {
  from: Row<'emails'>['sender'];
  to: Row<'emails'>['to_addresses'];
  createdAt: Row<'emails'>['created_at'];
  team: Row<'teams'>['name'];
};

const MOST_STEPS = 1_000;
const MOST_RECIPIENTS = 1_000;

export async function traceEmail(db: Db, teamId: number, id: string): Promise<EmailStory | null> {
  const { rows } = await sql<EmailRow>`
    select e.team_id as "teamId", e.id, e.status, e.source, e.campaign_id as "campaignId",
      e.message_id as "messageId", e.sender as "from", e.to_addresses as "to", e.subject,
      e.created_at as "createdAt", t.name as team
    from all_emails e join teams t on t.id = e.team_id where e.team_id = ${teamId} and e.id = ${id}::uuid
  `.execute(db);
  const email = rows[0];
  if (!email) return null;
  const visits = await readVisits(db, teamId, id);
  const { from, to, subject, status, source, team, messageId } = email;
  return {
    kind: 'email',
    id: encodeId('eml', id),
    teamId,
    team,
    status,
    source,
    key: await findKey(db, email),
    campaignId: email.campaignId && encodeId('cmp', email.campaignId),
    messageId,
    from,
    to,
    subject,
    recipients: await readRecipients(db, teamId, id),
    approval: await readApproval(db, teamId, id),
    ...visits,
    steps: await readSteps(db, teamId, id),
  };
}

async function readRecipients(db: Db, teamId: number, id: string): Promise<EmailStory['recipients']> {
  const { rows } = await sql<
    Row<'email_recipients', 'address' | 'status'> & {
      attempts: Row<'deliveries'>['attempts'] | null;
      nextAttemptAt: string | null;
    }
  >`
    select r.address, r.status, d.attempts, case when d.due_at = 'infinity' then 'held'
      else to_char(d.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as "nextAttemptAt"
    from all_email_recipients r
    left join deliveries d on d.team_id = r.team_id and d.email_id = r.email_id and d.recipient_no = r.no
    where r.team_id = ${teamId} and r.email_id = ${id}::uuid order by r.no limit ${MOST_RECIPIENTS}
  `.execute(db);
  return rows;
}

async function readSteps(db: Db, teamId: number, id: string): Promise<TraceStep[]> {
  const { rows } = await sql<
    Row<'events', 'type' | 'recipient' | 'created_at'> & { data: Record<string, unknown> | null }
  >`
    select h.type, h.recipient, h.created_at, h.data - 'transcript' as data from all_events h
    where h.team_id = ${teamId} and h.subject_id = ${id}::uuid and h.type like 'email.%'
    order by h.id limit ${MOST_STEPS}
  `.execute(db);
  return rows.map(({ type, recipient, created_at, data }) => ({
    at: created_at.toISOString(),
    recipient,
    sentence: describeEvent(type, data ?? {}),
    type,
    data,
  }));
}

async function readVisits(db: Db, teamId: number, id: string) {
  const { rows } = await sql<{ opens: number; clicks: number }>`
    select human_opens::integer as opens, human_clicks::integer as clicks from email_visits
    where team_id = ${teamId} and email_id = ${id}::uuid
  `.execute(db);
  return rows[0] ?? { opens: 0, clicks: 0 };
}

async function readApproval(db: Db, teamId: number, id: string): Promise<EmailStory['approval']> {
  const { rows } = await sql<
    Row<'approvals', 'state' | 'reason'> & { because: Row<'approvals'>['sentence'] }
  >`
    select state, sentence as because, reason from approvals
    where team_id = ${teamId} and email_id = ${id}::uuid
  `.execute(db);
  return rows[0] ?? null;
}

/** Batches are accepted within the hour that a request may take. */
const REQUEST_MS = 60 * 60_000;
const CLOCK_SKEW_MS = 10 * 60_000;

/** The log of requests is in the order of time, so only the entries around the acceptance are read. */
async function findKey(db: Db, { teamId, id, source, createdAt }: EmailRow): Promise<EmailStory['key']> {
  if (source !== 'api' && source !== 'smtp') return null;
  const [from, until] = [createdAt.getTime() - CLOCK_SKEW_MS, createdAt.getTime() + REQUEST_MS];
  const { rows } = await sql<{ id: string; name: string | null }>`
    with used as (
      select 'key ' || key_id as key from policy_sends where team_id = ${teamId} and email_id = ${id}::uuid
      union all
      select key_id from request_log
      where team_id = ${teamId} and id >= ${uuidAt(from)}::uuid and id < ${uuidAt(until)}::uuid
        and email_id = ${encodeId('eml', id)} and method = 'POST' and status < 300
    )
    select key as id, null as name from used limit 1
  `.execute(db);
  const used = rows[0]?.id;
  if (used === undefined) return null;
  const publicId = used.startsWith('key ') ? encodeId('key', used.slice('key '.length)) : used;
  return { id: publicId, name: await nameOfKey(db, teamId, publicId) };
}

async function nameOfKey(db: Db, teamId: number, publicId: string): Promise<string | null> {
  const id = decodeId('key', publicId);
  if (id === null) return null;
  const row = await db
    .selectFrom('api_keys')
    .select('name')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.name ?? null;
}
