/** A message and all that follows from its being accepted, in one statement. */
import type { Address } from '../../mail/address.ts';
import { statement, type Db } from '../../platform/database.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Message, Submission } from './submission.ts';

const PRIORITY = { transactional: 0, bulk: 1 };

export async function storeEmail(
  db: Db,
  email: { id: string; teamId: number; source: Submission['source']; message: Message },
): Promise<void> {
  const { id, teamId, source, message } = email;
  const recipients = everyoneOnce(message.recipients);
  const waiting = message.leavesAt === null ? 'QUEUED' : 'SCHEDULED';
  const priority = source === 'campaign' ? PRIORITY.bulk : PRIORITY.transactional;
  await statement(db)`
    with recipient as (
      select r.no, r.address, r.key, r.domain, s.address_key is not null as suppressed
      from unnest(
        ${recipients.map((_, at) => at)}::smallint[], ${recipients.map(({ email: address }) => address)}::text[],
        ${recipients.map(({ key }) => key)}::text[], ${recipients.map(({ domain }) => domain)}::text[]
      ) as r (no, address, key, domain)
      left join suppressions s on s.team_id = ${teamId} and s.address_key = r.key
    ), outcome as (
      select case when bool_and(suppressed) then 'SUPPRESSED' else ${waiting} end as status from recipient
    ), stored as (
      insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
        reply_to, subject, message_id, scheduled_at)
      select ${teamId}, ${id}, ${message.domainId}, ${source}, status, ${message.from}, ${message.to}::text[],
        ${message.cc}::text[], ${message.bcc}::text[], ${message.replyTo}::text[], ${message.subject},
        ${message.messageId}, ${message.leavesAt}::timestamptz
      from outcome
    ), content as (
      insert into email_contents (team_id, email_id, raw) values (${teamId}, ${id}, ${message.raw})
    ), kept as (
      insert into email_recipients (team_id, email_id, no, address, address_key, status)
      select ${teamId}, ${id}, no, address, key, case when suppressed then 'SUPPRESSED' else ${waiting} end
      from recipient
    ), first_event as (
      insert into email_events (team_id, email_id, id, status)
      select ${teamId}, ${id}, ${newUuid()}, ${waiting} from outcome where status <> 'SUPPRESSED'
    ), suppressed_events as (
      insert into email_events (team_id, email_id, id, status, recipient)
      select ${teamId}, ${id}, event.id, 'SUPPRESSED', address
      from recipient join unnest(${recipients.map(() => newUuid())}::uuid[]) with ordinality as event (id, at)
        on event.at = recipient.no + 1
      where suppressed
    )
    insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority)
    select ${teamId}, ${id}, no, ${message.domainId}, address, domain, ${priority}
    from recipient where not suppressed and ${waiting} = 'QUEUED'`;
}

/** In the order of to, cc and bcc. */
function everyoneOnce(recipients: Address[]): Address[] {
  return [...new Map(recipients.map((recipient) => [recipient.key, recipient])).values()];
}
