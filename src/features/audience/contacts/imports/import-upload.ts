/**
 * Receives a CSV file chunk by chunk, each in its own transaction, so that memory and transactions stay small for any
 * file. The import is not visible before the whole file is stored.
 */
import { sql } from 'kysely';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../../platform/errors.ts';
import { encodeId, newUuid } from '../../../../platform/ids.ts';
import type { Row } from '../../../../platform/database/rows.ts';
import { createTeamQueue } from '../../../../platform/concurrency/team-queue.ts';
import { contactBookKey } from '../../contact-books/contact-books.ts';
import { runImportLater } from './import-batch.ts';
import { getImport } from './imports.ts';
import type { ContactImport, ImportInput } from './imports.schema.ts';

const CHUNK_BYTES = 1024 * 1024;
const STALE_AFTER_HOURS = 1;

/** Limits concurrent statements that store or drop chunks, so that uploads leave the database free for others. */
const uploadQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });

/** Returns the UUID of the import. The caller must call `startImport` next. */
export async function receiveUpload(
  db: Db,
  teamId: number,
  contactBookId: string,
  input: ImportInput,
  body: AsyncIterable<Buffer>,
  by: string,
): Promise<string> {
  const id = await beginUpload(db, teamId, contactBookKey(contactBookId), input, by);
  try {
    let received = 0;
    for await (const chunk of inChunks(body)) {
      await uploadQueue(teamId, () => storeChunk(db, teamId, id, chunk));
      received += chunk.length;
    }
    if (received === 0) throw badRequest('The file is empty. Send the CSV file as the request body.');
    return id;
  } catch (error) {
    // If the process dies before this, dropStaleUploads cleans up.
    await uploadQueue(teamId, () => dropUpload(db, teamId, id));
    throw error;
  }
}

/** Makes the import visible and enqueues its job. */
export async function startImport(
  db: Db,
  teamId: number,
  contactBookId: string,
  id: string,
): Promise<ContactImport> {
  return inTransaction(db, async (trx) => {
    const started = await trx
      .updateTable('contact_imports')
      .set({ status: 'PENDING', updated_at: sql`now()` })
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .where('status', '=', 'UPLOADING')
      .returning('id')
      .executeTakeFirst();
    if (!started) throw notFound('Contact book');
    await runImportLater(trx, teamId, id);
    return getImport(trx, teamId, contactBookId, encodeId('imp', id));
  });
}

/** The worker runs this periodically. Drops uploads that were interrupted or belong to a replayed request. */
export async function dropStaleUploads(db: Db): Promise<void> {
  await sql`
    delete from contact_imports
    where status = 'UPLOADING' and updated_at < now() - make_interval(hours => ${STALE_AFTER_HOURS})
  `.execute(db);
}

async function beginUpload(
  db: Db,
  teamId: number,
  bookKey: string,
  { mapping = {}, consent, consentNote, triggerAutomations }: ImportInput,
  by: string,
): Promise<string> {
  const { rows: books } = await sql<{ asks: Row<'contact_books'>['double_opt_in_enabled'] }>`
    select double_opt_in_enabled as asks from contact_books where team_id = ${teamId} and id = ${bookKey}
  `.execute(db);
  if (!books[0]) throw notFound('Contact book');
  if (consent === 'ask' && !books[0].asks) {
    throw badRequest('consent cannot be "ask" because double opt-in is off for this contact book.');
  }
  const id = newUuid();
  const { rows } = await sql`
    insert into contact_imports (
      team_id, contact_book_id, id, status, mapping, consent, consent_note, requested_by,
      triggers_automations
    )
    select team_id, id, ${id}, 'UPLOADING', ${JSON.stringify(mapping)}::jsonb, ${consent}, ${consentNote ?? null}, ${by},
      ${triggerAutomations === 'true'}
    from contact_books where team_id = ${teamId} and id = ${bookKey} for key share
    returning 1
  `.execute(db);
  if (rows.length === 0) throw notFound('Contact book');
  return id;
}

async function* inChunks(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let buffers: Buffer[] = [];
  let length = 0;
  for await (const buffer of body) {
    buffers.push(buffer);
    length += buffer.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.concat(buffers);
    buffers = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(buffers);
}

/** Appends the chunk to the file. Throws if the book, and with it the import, was deleted meanwhile. */
async function storeChunk(db: Db, teamId: number, id: string, bytes: Buffer): Promise<void> {
  const { rows } = await sql`
    with grown as (
      update contact_imports set total_bytes = total_bytes + ${bytes.length}, updated_at = now()
      where team_id = ${teamId} and id = ${id} and status = 'UPLOADING'
      returning team_id, id, total_bytes
    )
    insert into contact_import_chunks (team_id, import_id, start_byte, bytes)
    select team_id, id, total_bytes - ${bytes.length}, ${bytes} from grown
    returning 1
  `.execute(db);
  if (rows.length === 0) throw notFound('Contact book');
}

async function dropUpload(db: Db, teamId: number, id: string): Promise<void> {
  await db
    .deleteFrom('contact_imports')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .where('status', '=', 'UPLOADING')
    .execute();
}
