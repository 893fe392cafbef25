/** Whether a mailbox has had mail from or to a person. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { mailOfPerson } from '../storage/of-person.ts';

/** Only messages of another person whose address has the same number are compared in vain. */
const MAX_COMPARED = 100;

type Correspondence = Row<'messages', 'sender' | 'to_addresses' | 'cc_addresses' | 'direction'>;

/** Spam does not count. `before`: only messages from before this time. */
export async function isKnownPerson(
  db: Db,
  { teamId, mailboxId }: { teamId: number; mailboxId: string },
  addressKey: string,
  before: Date | null = null,
): Promise<boolean> {
  const { rows } = await sql<Correspondence>`
    select sender, to_addresses, cc_addresses, direction
    from ${mailOfPerson({ teamId, mailboxId, addressKey })} m
    where (${before}::timestamptz is null or created_at < ${before}::timestamptz)
      and folder <> 'spam' limit ${MAX_COMPARED}
  `.execute(db);
  return rows.some(({ sender, to_addresses, cc_addresses, direction }) =>
    direction === 'in'
      ? keyOfPerson(sender) === addressKey
      : [...to_addresses, ...cc_addresses].some((person) => keyOfPerson(person) === addressKey),
  );
}
