/** Whether a mailbox has had mail from or to a person. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { toSearchTerm, wordsOf } from '../storage/search-words.ts';

/** Messages with the words of the address that are compared. Further ones are rare. */
const MAX_COMPARED = 100;

type Correspondence = Row<'messages', 'sender' | 'to_addresses' | 'cc_addresses' | 'direction'>;

/**
 * Searches by the indexed words of the address. A message that failed the checks of its sender does not count, and
 * neither does spam. `before`: only messages from before this time.
 */
export async function isKnownPerson(
  db: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
  addressKey: string,
  before: Date | null = null,
): Promise<boolean> {
  const words = wordsOf(addressKey);
  if (words.length === 0) return false;
  const wanted = words
    .map((word) => `(${toSearchTerm(mailboxId, 'f', word)} | ${toSearchTerm(mailboxId, 't', word)})`)
    .join(' & ');
  const { rows } = await sql<Correspondence>`
    select sender, to_addresses, cc_addresses, direction from messages
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and search @@ ${wanted}::tsquery
      and (${before}::timestamptz is null or created_at < ${before}::timestamptz)
      and folder <> 'spam' and not draft limit ${MAX_COMPARED}
  `.execute(db);
  return rows.some(({ sender, to_addresses, cc_addresses, direction }) =>
    direction === 'in'
      ? keyOfPerson(sender) === addressKey
      : [...to_addresses, ...cc_addresses].some((person) => keyOfPerson(person) === addressKey),
  );
}
