/** Finds messages by a header field that has no column, in the stored headers. */
import { sql } from 'kysely';
import { setImmediate as yieldEventLoop } from 'node:timers/promises';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { readAnyHeaders, valuesOf } from '../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { CamelRow, Row } from '../../../platform/database/rows.ts';
import { readStructures } from '../email-apps/message-source.ts';
import type { MailboxRef } from '../storage/change-numbers.ts';
import { containsText } from '../../../platform/find-text.ts';

const BATCH = 500;
/** A search in more headers would read gigabytes. */
const MAX_MESSAGES = 50_000;

interface Source extends CamelRow<'messages', 'id' | 'email_id'> {
  rawHash: Row<'messages'>['raw_sha256'];
}

/** Without a value, finds every message that has the field. */
export async function searchHeaders(
  db: Db,
  mailbox: MailboxRef,
  name: string,
  value: string | null,
): Promise<string[]> {
  const found: string[] = [];
  const wanted = value?.toLowerCase() ?? '';
  let after = '00000000-0000-0000-0000-000000000000';
  for (let count = 0; ; count += BATCH) {
    if (count >= MAX_MESSAGES)
      throw badRequest(`Header fields can be searched in mailboxes of up to ${MAX_MESSAGES} messages.`);
    const { rows } = await sql<Source>`
      select id, raw_sha256 as "rawHash", email_id as "emailId" from messages
      where team_id = ${mailbox.teamId} and mailbox_id = ${mailbox.mailboxId} and id > ${after}
      order by id limit ${BATCH}
    `.execute(db);
    const structures = await readStructures(db, mailbox, rows, { onlyHeaders: true });
    for (const { id } of rows) {
      const header = structures.get(id)?.header;
      if (header && hasField(header, name, wanted)) found.push(id);
    }
    if (rows.length < BATCH) return found;
    after = rows.at(-1)!.id;
    await yieldEventLoop();
  }
}

function hasField(header: Buffer, name: string, wanted: string): boolean {
  return valuesOf(readAnyHeaders(header), name).some((value) =>
    containsText(decodeWords(value).toLowerCase(), wanted),
  );
}
