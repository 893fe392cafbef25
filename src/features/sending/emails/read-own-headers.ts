/** Reads the headers that the sender of an email added to it. */
import { promisify } from 'node:util';
import { constants, inflateRaw } from 'node:zlib';
import { sql } from 'kysely';
import { isSafeHeader } from '../../../mail/mime/header-rules.ts';
import { decodeWords } from '../../../mail/mime/parse/encoded-words.ts';
import { readAnyHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { readContent } from './read-content.ts';

const inflate = promisify(inflateRaw);
/** The beginning of a message that holds its headers, even with many recipients. */
const BEGINNING_BYTES = 256 * 1024;

export interface EmailHeader {
  name: string;
  value: string;
}

type Beginning = Row<'email_contents', 'inflated_size' | 'is_recipe'> & { bytes: Buffer };

/** Empty for campaign emails, account emails and emails whose content was deleted. */
export async function readOwnHeaders(db: Db, teamId: number, emailId: string): Promise<EmailHeader[]> {
  const { rows } = await sql<Beginning>`
    select substring(c.raw for ${BEGINNING_BYTES}) as bytes, c.inflated_size, c.is_recipe
    from email_contents c join emails e on e.team_id = c.team_id and e.id = c.email_id
    where c.team_id = ${teamId} and c.email_id = ${emailId} and e.source <> 'account'
  `.execute(db);
  const stored = rows[0];
  if (!stored) return [];
  const message = stored.is_recipe ? await readContent(db, teamId, emailId) : await open(stored);
  if (!message) return [];
  return readAnyHeaders(message)
    .headers.filter(({ name, value }) => isSafeHeader(name, value))
    .map(({ name, value }) => ({ name, value: decodeWords(value) }));
}

/** Inflates as much as there is, because the end may be missing. */
async function open({ bytes, inflated_size }: Beginning): Promise<Buffer> {
  if (inflated_size === null) return bytes;
  return inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}
