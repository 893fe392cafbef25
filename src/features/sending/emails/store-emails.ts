/** Stores accepted messages, with their recipients, deliveries and events, in one statement for any number of them. */
import { isUtf8 } from 'node:buffer';
import { sql } from 'kysely';
import { inTransaction, statement, toJson, type Db } from '../../../platform/database/database.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { blobsOf } from '../../content/stored/stored-message.ts';
import { storeBlobs } from '../../content/stored/store-blobs.ts';
import { uploadBlobs } from '../../content/stored/upload-blobs.ts';
import { objectStoreOf } from '../../../platform/object-store/object-store-of.ts';
import { newUuid } from '../../../platform/ids.ts';
import { STORE_AND_ENQUEUE } from './enqueue.ts';
import { storeEnvelopes, withoutDuplicates } from './store-envelopes.ts';
import { PRIORITY, type Priority } from './priority.ts';
import type { SubmittedMessage, Submission } from './submission.ts';

export interface AcceptedEmail {
  id: string;
  teamId: number;
  source: Submission['source'];
  priority: Priority;
  message: SubmittedMessage;
  contact: NonNullable<Submission['contact']> | null;
  /** Null outside of a trace. */
  traceparent: string | null;
}

/** An upload to the object store happens before the batch, so that it neither delays nor fails other emails. */
export async function storeEmail(db: Db, email: AcceptedEmail): Promise<void> {
  if (objectStoreOf(db)) await uploadBlobs(db, blobsOf(email.teamId, email.message.content));
  return storeBatched(db, email);
}

/** Batches the concurrent emails of a team. */
const storeBatched = createBatcher<AcceptedEmail, void>({
  keyOf: ({ teamId }) => String(teamId),
  sizeOf: ({ message }) => message.content.bytes.length,
  work: async (db, emails) => {
    await storeEmails(db, emails[0].teamId, emails);
    return [];
  },
});

export async function storeEmails(db: Db, teamId: number, emails: AcceptedEmail[]): Promise<void> {
  const parts = emails.flatMap(({ id, message }) =>
    message.content.parts.map(({ at, hash }) => ({ email_id: id, at, hash: hash.toString('hex') })),
  );
  const asking = emails.filter(({ message }) => message.envelope);
  if (parts.length === 0 && asking.length === 0) return insertEmails(db, teamId, emails);
  const blobs = emails.flatMap(({ message }) => blobsOf(teamId, message.content));
  await uploadBlobs(db, blobs);
  await inTransaction(db, async (trx) => {
    await storeBlobs(trx, blobs);
    await sql`
      insert into email_content_parts (team_id, email_id, at, sha256)
      select ${teamId}, email_id, at, decode(hash, 'hex') from json_to_recordset(${toJson(parts)}::json) as p (email_id uuid, at integer, hash text)
    `.execute(trx);
    await insertEmails(trx, teamId, emails);
    if (asking.length > 0) await storeEnvelopes(trx, teamId, asking);
  });
}

/**
 * The steps of the statement, by their names in it:
 *
 *   email      the emails to store, with the position of their content in the parameter
 *   recipient  their recipients, and which of these are suppressed
 *   accepted   the emails with their status, as STORE_AND_ENQUEUE takes them
 *
 * Then come the emails, recipients, deliveries and events (STORE_AND_ENQUEUE), and the contents.
 */
async function insertEmails(db: Db, teamId: number, emails: AcceptedEmail[]): Promise<void> {
  // Contents are sent as one bytea, which the statement splits. An array would be sent as text of twice the size.
  const bytes = emails.map(({ message }) => message.content.bytes);
  const contents = bytes.length === 1 ? bytes[0]! : Buffer.concat(bytes);
  await statement(db)`
    with email as (
      select * from json_to_recordset(${emailRows(emails)}::json) as e (
        id uuid, event_id uuid, domain_id integer, source text, waiting text, sender text, to_addresses text[],
        cc_addresses text[], bcc_addresses text[], reply_to text[], subject text, message_id text,
        scheduled_at timestamptz, raw_from integer, raw_length integer, inflated_size integer, full_size integer,
        is_text boolean, is_recipe boolean, priority smallint, labels jsonb, tracks_opens boolean,
        tracks_clicks boolean, traceparent text, contact_book_id uuid, contact_id uuid
      )
    ), recipient as (
      select ${teamId}::integer as team_id, r.*, withheld is true or s.address_key is not null as suppressed
      from json_to_recordset(${recipientRows(emails)}::json) as r (
        email_id uuid, no smallint, address text, address_key text, event_id uuid, withheld boolean
      )
      left join suppressions s on s.team_id = ${teamId} and s.address_key = r.address_key
    ), accepted as (
      select ${teamId}::integer as team_id, email.*, case when is_suppressed then 'SUPPRESSED' else waiting end as status,
        null::uuid as campaign_id
      from email join (
        select email_id, bool_and(suppressed) as is_suppressed from recipient group by email_id
      ) outcome on email_id = id
    ), ${STORE_AND_ENQUEUE}
    insert into email_contents (team_id, email_id, raw, inflated_size, full_size, is_text, is_recipe)
    select ${teamId}, id, substring(${contents}::bytea from raw_from for raw_length), inflated_size, full_size, is_text,
      is_recipe
    from email`;
}

function emailRows(emails: AcceptedEmail[]): string {
  let rawFrom = 1;
  return toJson(
    emails.map(({ id, source, priority, message, traceparent, contact }) => {
      const { bytes, inflatedSize, fullSize, isRecipe } = message.content;
      const row = {
        id,
        event_id: newUuid(),
        domain_id: message.domainId,
        source,
        waiting: message.leavesAt === null && !message.isHeld ? 'QUEUED' : 'SCHEDULED',
        sender: message.from,
        to_addresses: message.to,
        cc_addresses: message.cc,
        bcc_addresses: message.bcc,
        reply_to: message.replyTo,
        subject: message.subject,
        message_id: message.messageId,
        scheduled_at: message.isHeld ? null : message.leavesAt,
        raw_from: rawFrom,
        raw_length: bytes.length,
        inflated_size: inflatedSize,
        full_size: fullSize,
        is_text: inflatedSize === null && isText(bytes),
        is_recipe: isRecipe,
        priority: PRIORITY[priority],
        labels: message.labels,
        tracks_opens: message.tracked.opens,
        tracks_clicks: message.tracked.clicks,
        traceparent,
        contact_book_id: contact?.contactBookId ?? null,
        contact_id: contact?.contactId ?? null,
      };
      rawFrom += bytes.length;
      return row;
    }),
  );
}

/** PostgreSQL text cannot contain NUL. */
function isText(raw: Buffer): boolean {
  return isUtf8(raw) && !raw.includes(0);
}

function recipientRows(emails: AcceptedEmail[]): string {
  return toJson(
    emails.flatMap(({ id, message }) =>
      withoutDuplicates(message.recipients).map(({ email, key }, no) => ({
        email_id: id,
        no,
        address: email,
        address_key: key,
        event_id: newUuid(),
        ...(message.isWithheld ? { withheld: true } : {}),
      })),
    ),
  );
}
