/** Keeps two people from answering the same message: what the writer has not seen is told before anything is sent. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { isDraft } from '../storage/message-kinds.ts';

const MOST_NAMED = 100;

/** Drafts and spam are no answers. The caller must have locked the thread. */
export async function refuseUnseen(
  trx: Db,
  teamId: number,
  threadId: string,
  seenMessageId: string,
): Promise<void> {
  const seenKey = decodeId('msg', seenMessageId);
  const { rows: seen } = await sql`
    select 1 from messages where team_id = ${teamId} and thread_id = ${threadId} and id = ${seenKey}
  `.execute(trx);
  if (seen.length === 0) throw invalidField('seen_message_id', 'must be a message of the thread');
  const { rows } = await sql<Row<'messages', 'id'>>`
    select m.id from messages m
    where m.team_id = ${teamId} and m.thread_id = ${threadId} and not ${isDraft('m')} and m.folder <> 'spam'
      and (m.created_at, m.id) > (select s.created_at, s.id from messages s where s.team_id = ${teamId} and s.id = ${seenKey})
    order by m.created_at, m.id limit ${MOST_NAMED}
  `.execute(trx);
  if (rows.length === 0) return;
  throw new AppError('THREAD_CHANGED', 'The thread has messages that you have not seen.', {
    newMessages: rows.map(({ id }) => encodeId('msg', id)),
  });
}
