/** What follows for an email when something is learnt about its recipients, by an attempt or by a report. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';

export interface EmailKey {
  teamId: number;
  emailId: string;
}

export interface NewEvent extends EmailKey {
  status: 'SENT' | 'DELIVERED' | 'DELIVERY_DELAYED' | 'BOUNCED' | 'COMPLAINED';
  recipient: string | null;
  data: object | null;
  at: Date;
}

/** The worst unfinished or failed recipient decides. */
export async function settleEmails(trx: Db, emails: EmailKey[]): Promise<void> {
  await sql`
    with touched as (
      select distinct team_id, email_id from unnest(
        ${emails.map((email) => email.teamId)}::integer[], ${emails.map((email) => email.emailId)}::uuid[]
      ) as t (team_id, email_id)
    ), worst as (
      select r.team_id, r.email_id, (array['BOUNCED', 'COMPLAINED', 'DELIVERY_DELAYED', 'SENT', 'DELIVERED'])[
        min(case r.status when 'BOUNCED' then 1 when 'COMPLAINED' then 2 when 'DELIVERY_DELAYED' then 3
          when 'QUEUED' then 4 else 5 end)
      ] as status
      from email_recipients r join touched using (team_id, email_id)
      where r.status <> 'SUPPRESSED'
      group by r.team_id, r.email_id
    )
    update emails e set status = worst.status, updated_at = now() from worst
    where e.team_id = worst.team_id and e.id = worst.email_id
  `.execute(trx);
}

export async function appendEvents(trx: Db, events: NewEvent[]): Promise<void> {
  await sql`
    insert into email_events (team_id, email_id, id, status, recipient, data, created_at)
    select * from unnest(
      ${events.map((event) => event.teamId)}::integer[], ${events.map((event) => event.emailId)}::uuid[],
      ${events.map(() => newUuid())}::uuid[], ${events.map((event) => event.status)}::text[],
      ${events.map((event) => event.recipient)}::text[],
      ${events.map(({ data }) => data && JSON.stringify(data))}::jsonb[],
      ${events.map((event) => event.at)}::timestamptz[]
    )
  `.execute(trx);
}
