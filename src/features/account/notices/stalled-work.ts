/**
 * Finds stalled work: campaigns, imports, confirmation emails, domain verifications and webhooks. The log, the metrics
 * and the dashboard notices all use this.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import {
  findTeamsWithStalledJob,
  readJobBacklog,
  STALLED_AFTER_SECONDS,
  type JobLine,
} from '../../../platform/jobs/job-backlog.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { FAILURES_UNTIL_REST, urlWithoutSecrets } from '../../webhooks/notice.ts';
import type { StalledKind } from './notices.schema.ts';

export interface StalledWork {
  teamId: number;
  kind: StalledKind;
  /**
   * Who can mend it: the operator of the instance, or the team itself, whose webhook does not respond or whose campaign
   * waits for someone to resume it. Teams see both; the operator is warned only of the first.
   */
  concerns: 'operator' | 'team';
  /** Public ID of the campaign, import, domain or webhook. Null for confirmations. */
  id: string | null;
  /** Set only for an import. */
  contactBookId?: string;
  /** The name of the campaign, contact book or domain, or the URL of the webhook without its query. */
  name: string | null;
  since: Date;
  /** The last failure of a webhook's endpoint, or why a campaign paused. Null when the fault is on our side. */
  lastError: string | null;
  /** How many deliveries or confirmation emails were given up. Set only for those. */
  givenUp?: number;
}

/** Queue names that end with the ID of a team or a domain: `confirmations 1`, `verify-domain 7`. */
const QUEUE = /^(confirmations|import confirmations|verify-domain) (\d+)$/;

/** `teamId` null means all teams. */
export async function findStalledWork(
  db: Db,
  teamId: number | null,
  lines?: JobLine[],
): Promise<StalledWork[]> {
  const stalled = (lines ?? (await readJobBacklog(db))).filter((line) => line.hasStalled);
  const found = [
    ...(await findCampaigns(db, teamId)),
    ...(await findImports(db, teamId)),
    ...(await findConfirmations(db, stalled)),
    ...(await findGivenUpConfirmations(db, teamId)),
    ...(await findVerifications(db, stalled)),
    ...(await findWebhooks(db, teamId)),
    ...(await findUnmadeCalls(db, teamId)),
  ];
  return found.filter((work) => teamId === null || work.teamId === teamId);
}

/**
 * A running campaign has stalled when its steps keep failing or no runner has looked at it for a while, and a scheduled
 * one when its time has passed. A campaign that paused by itself, because of failures, bounces or its domain, counts
 * until someone resumes it. One that a person paused has no reason.
 */
async function findCampaigns(db: Db, teamId: number | null): Promise<StalledWork[]> {
  const { rows } = await sql<
    CamelRow<'campaigns', 'team_id' | 'id' | 'name' | 'status'> & {
      since: Date;
      reason: Row<'campaigns'>['status_reason'];
    }
  >`
    select c.team_id as "teamId", c.id, c.name, c.status, s.since, c.status_reason as reason
    from campaigns c cross join lateral (select coalesce(c.failing_since, case c.status
      when 'RUNNING' then greatest(c.checked_at, c.begun_at, c.scheduled_at)
      when 'PAUSED' then c.updated_at else c.scheduled_at end)) as s (since)
    where (${teamId}::integer is null or c.team_id = ${teamId}::integer) and c.deleted_at is null and ${notClosed}
      and (c.status = 'PAUSED' and c.status_reason is not null or c.status in ('SCHEDULED', 'RUNNING')
        and s.since < now() - make_interval(secs => ${STALLED_AFTER_SECONDS}))
    order by c.id
  `.execute(db);
  return rows.map(({ status, reason, ...row }) => ({
    ...row,
    kind: 'campaign',
    concerns: status === 'PAUSED' ? 'team' : 'operator',
    id: encodeId('cmp', row.id),
    lastError: status === 'PAUSED' ? reason : null,
  }));
}

async function findImports(db: Db, teamId: number | null): Promise<StalledWork[]> {
  const { rows } = await sql<
    CamelRow<'contact_imports', 'team_id' | 'id'> & {
      bookId: Row<'contact_books'>['id'];
      name: Row<'contact_books'>['name'];
      since: Row<'contact_imports'>['updated_at'];
    }
  >`
    select i.team_id as "teamId", i.id, b.id as "bookId", b.name, i.updated_at as since
    from contact_imports i join contact_books b on b.team_id = i.team_id and b.id = i.contact_book_id
    where i.status in ('PENDING', 'RUNNING') and (${teamId}::integer is null or i.team_id = ${teamId}::integer)
      and i.updated_at < now() - make_interval(secs => ${STALLED_AFTER_SECONDS})
    order by i.id
  `.execute(db);
  return rows.map(({ bookId, ...row }) => ({
    ...row,
    kind: 'import',
    concerns: 'operator',
    id: encodeId('imp', row.id),
    contactBookId: encodeId('cbk', bookId),
    lastError: null,
  }));
}

async function findConfirmations(db: Db, stalled: JobLine[]): Promise<StalledWork[]> {
  const lines = [
    ...inQueues(stalled, 'confirmations'),
    ...inQueues(stalled, 'import confirmations'),
    ...(await findSignUps(db, stalled)),
  ];
  const sinceOf = new Map<number, Date>();
  for (const { number, since } of lines.toSorted((a, b) => b.since.getTime() - a.since.getTime()))
    sinceOf.set(number, since);
  return [...sinceOf].map(([teamId, since]) => ({
    teamId,
    kind: 'confirmations',
    concerns: 'operator',
    id: null,
    name: null,
    since,
    lastError: null,
  }));
}

/** How long the notice about work that was given up is shown. Nothing else ends it. */
const GIVEN_UP_SHOWN_DAYS = 7;

/** Confirmation emails whose job has no attempts left. */
async function findGivenUpConfirmations(db: Db, teamId: number | null): Promise<StalledWork[]> {
  const { rows } = await sql<{ teamId: number; since: Date; givenUp: number }>`
    select (j.payload ->> 'teamId')::integer as "teamId", min(j.updated_at) as since,
      sum(json_array_length(j.payload -> 'contactIds')) as "givenUp"
    from jobs j
    where j.name in ('confirm-sign-ups', 'send-confirmations') and j.leased_by is null
      and j.attempts >= j.max_attempts and json_typeof(j.payload -> 'contactIds') = 'array'
      and (${teamId}::integer is null or j.payload ->> 'teamId' = ${teamId}::integer::text)
      and j.updated_at > now() - make_interval(days => ${GIVEN_UP_SHOWN_DAYS})
    group by 1
  `.execute(db);
  return rows.map((row) => ({
    ...row,
    kind: 'confirmations',
    concerns: 'team',
    id: null,
    name: null,
    lastError: null,
  }));
}

/** Confirmations of single sign-ups have no queue, so their teams are found from the jobs' payloads. */
async function findSignUps(db: Db, stalled: JobLine[]): Promise<{ number: number; since: Date }[]> {
  const hasLineStalled = stalled.some(({ job }) => job === 'confirm-sign-ups');
  const teams = await findTeamsWithStalledJob(db, 'confirm-sign-ups', hasLineStalled);
  return teams.map(({ teamId, since }) => ({ number: teamId, since }));
}

async function findVerifications(db: Db, stalled: JobLine[]): Promise<StalledWork[]> {
  const lines = inQueues(stalled, 'verify-domain');
  if (lines.length === 0) return [];
  const domains = await db
    .selectFrom('domains')
    .select(['team_id', 'id', 'name'])
    .where(
      'id',
      'in',
      lines.map(({ number }) => number),
    )
    .execute();
  return domains.map(({ team_id: teamId, id, name }) => ({
    teamId,
    kind: 'verification',
    concerns: 'operator',
    id: String(id),
    name,
    since: lines.find(({ number }) => number === id)!.since,
    lastError: null,
  }));
}

function inQueues(lines: JobLine[], name: string): { number: number; since: Date }[] {
  return lines.flatMap(({ queue, since }) => {
    const match = QUEUE.exec(queue);
    return match?.[1] === name && since ? [{ number: Number(match[2]), since }] : [];
  });
}

/** A webhook has stalled when calls wait for it and it keeps failing or has not been called for a while. */
async function findWebhooks(db: Db, teamId: number | null): Promise<StalledWork[]> {
  const { rows } = await sql<
    CamelRow<'webhooks', 'team_id' | 'id' | 'url'> & {
      since: Date;
      lastError: string | null;
    }
  >`
    select w.team_id as "teamId", w.id, w.url, coalesce(w.failing_since, c.due_at) as since,
      case when w.failing_since is not null then w.last_error end as "lastError"
    from webhooks w cross join lateral (
      select due_at from webhook_calls c
      where c.team_id = w.team_id and c.webhook_id = w.id and c.status = 'waiting'
      order by c.id limit 1
    ) c
    where (${teamId}::integer is null or w.team_id = ${teamId}::integer)
      and (w.status = 'active' or w.paused_reason = 'failures')
      and (w.failures >= ${FAILURES_UNTIL_REST} or greatest(c.due_at, w.last_called_at, w.rests_until)
        < now() - make_interval(secs => ${STALLED_AFTER_SECONDS}))
    order by w.team_id, w.id
  `.execute(db);
  return rows.map(({ url, ...row }) => ({
    ...row,
    kind: 'webhook',
    concerns: row.lastError === null ? 'operator' : 'team',
    id: encodeId('whk', row.id),
    name: urlWithoutSecrets(url),
  }));
}

/** Webhooks with deliveries that cannot be made because of an error on our side, which the endpoint has no part in. */
async function findUnmadeCalls(db: Db, teamId: number | null): Promise<StalledWork[]> {
  const { rows } = await sql<
    CamelRow<'webhooks', 'team_id' | 'id' | 'url'> & { since: Date; givenUp: number; waiting: number }
  >`
    select w.team_id as "teamId", w.id, w.url, min(c.first_tried_at) as since,
      count(*) filter (where c.status = 'failed') as "givenUp", count(*) filter (where c.status = 'waiting') as waiting
    from webhooks w join webhook_calls c on c.team_id = w.team_id and c.webhook_id = w.id and c.status <> 'succeeded'
    join webhook_attempts a on a.team_id = c.team_id and a.webhook_id = c.webhook_id and a.call_id = c.id
      and a.error = 'internal' and a.no = c.attempts
    where (${teamId}::integer is null or w.team_id = ${teamId}::integer) and w.status <> 'disabled'
      and a.started_at > now() - make_interval(days => ${GIVEN_UP_SHOWN_DAYS})
    group by w.team_id, w.id order by w.team_id, w.id
  `.execute(db);
  return rows.map(({ url, waiting, givenUp, ...row }) => ({
    ...row,
    kind: 'webhook',
    concerns: waiting > 0 ? 'operator' : 'team',
    id: encodeId('whk', row.id),
    name: urlWithoutSecrets(url),
    lastError: 'internal',
    givenUp,
  }));
}
