/** Messages and all that follows from their being accepted, in one statement for one as for many. */
import { isUtf8 } from 'node:buffer';
import type { Address } from '../../mail/address.ts';
import { statement, toJson, type Db } from '../../platform/database.ts';
import { createGatherer } from '../../platform/gather.ts';
import { newUuid } from '../../platform/ids.ts';
import { STORE_AND_ENQUEUE } from './enqueue.ts';
import { PRIORITY, type Priority } from './priority.ts';
import type { Message, Submission } from './submission.ts';

export interface AcceptedEmail {
  id: string;
  teamId: number;
  source: Submission['source'];
  priority: Priority;
  message: Message;
}

/** With what its team sends in the same moment. */
export const storeEmail = createGatherer<AcceptedEmail, void>({
  keyOf: ({ teamId }) => String(teamId),
  sizeOf: ({ message }) => message.raw.length,
  work: async (db, emails) => {
    await storeEmails(db, emails[0].teamId, emails);
    return [];
  },
});

export async function storeEmails(db: Db, teamId: number, emails: AcceptedEmail[]): Promise<void> {
  // The contents go as one run of bytes, and are cut apart there: an array of them would go as text of twice the size.
  const contents = Buffer.concat(emails.map(({ message }) => message.raw));
  await statement(db)`
    with email as (
      select * from json_to_recordset(${emailRows(emails)}::json) as e (
        id uuid, event_id uuid, domain_id integer, source text, waiting text, sender text, to_addresses text[],
        cc_addresses text[], bcc_addresses text[], reply_to text[], subject text, message_id text,
        scheduled_at timestamptz, raw_from integer, raw_length integer, is_text boolean, priority smallint
      )
    ), recipient as (
      select ${teamId}::integer as team_id, r.*, s.address_key is not null as suppressed
      from json_to_recordset(${recipientRows(emails)}::json) as r (
        email_id uuid, no smallint, address text, address_key text, event_id uuid
      )
      left join suppressions s on s.team_id = ${teamId} and s.address_key = r.address_key
    ), accepted as (
      select ${teamId}::integer as team_id, email.*, case when is_suppressed then 'SUPPRESSED' else waiting end as status,
        null::uuid as campaign_id, null::uuid as contact_book_id, null::uuid as contact_id
      from email join (
        select email_id, bool_and(suppressed) as is_suppressed from recipient group by email_id
      ) outcome on email_id = id
    ), ${STORE_AND_ENQUEUE}
    insert into email_contents (team_id, email_id, raw, is_text)
    select ${teamId}, id, substring(${contents}::bytea from raw_from for raw_length), is_text from email`;
}

function emailRows(emails: AcceptedEmail[]): string {
  let rawFrom = 1;
  return toJson(
    emails.map(({ id, source, priority, message }) => {
      const row = {
        id,
        event_id: newUuid(),
        domain_id: message.domainId,
        source,
        waiting: message.leavesAt === null ? 'QUEUED' : 'SCHEDULED',
        sender: message.from,
        to_addresses: message.to,
        cc_addresses: message.cc,
        bcc_addresses: message.bcc,
        reply_to: message.replyTo,
        subject: message.subject,
        message_id: message.messageId,
        scheduled_at: message.leavesAt,
        raw_from: rawFrom,
        raw_length: message.raw.length,
        is_text: isText(message.raw),
        priority: PRIORITY[priority],
      };
      rawFrom += message.raw.length;
      return row;
    }),
  );
}

/** As PostgreSQL has it, which knows no NUL in a text. */
function isText(raw: Buffer): boolean {
  return isUtf8(raw) && !raw.includes(0);
}

function recipientRows(emails: AcceptedEmail[]): string {
  return toJson(
    emails.flatMap(({ id, message }) =>
      everyoneOnce(message.recipients).map(({ email, key }, no) => ({
        email_id: id,
        no,
        address: email,
        address_key: key,
        event_id: newUuid(),
      })),
    ),
  );
}

/** In the order of to, cc and bcc. */
function everyoneOnce(recipients: Address[]): Address[] {
  return [...new Map(recipients.map((recipient) => [recipient.key, recipient])).values()];
}
