/**
 * The mail that a mailbox has had from a person and written to them, found by an index of addresses. A search by the words of
 * an address reads all mail with the word "com", which grows with the mailbox.
 */
import { domainToUnicode } from 'node:url';
import { sql, type RawBuilder } from 'kysely';

interface Person {
  teamId: number;
  mailboxId: string;
  /** The address as addresses are compared. */
  addressKey: string;
}

/** Rows of `messages` without drafts. The index compares numbers, so compare the addresses of what is found. */
export function mailOfPerson({ teamId, mailboxId, addressKey }: Person): RawBuilder<unknown> {
  const [key, shown] = formsOf(addressKey);
  return mailOfForms({
    teamId,
    mailbox: sql`${mailboxId}::uuid`,
    key: sql`${key}::text`,
    shown: sql`${shown}::text`,
  });
}

interface Forms {
  teamId: number;
  mailbox: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  shown: RawBuilder<unknown>;
}

/** The same for a mailbox and forms of an address that the statement reads itself. */
export function mailOfForms({ teamId, mailbox, key, shown }: Forms): RawBuilder<unknown> {
  return sql`(
    select * from messages
    where team_id = ${teamId} and mailbox_id = ${mailbox} and not draft and direction = 'in'
      and person_of(sender) in (person_of(${key}), person_of(${shown}))
    union all
    select * from messages
    where team_id = ${teamId} and mailbox_id = ${mailbox} and not draft and direction = 'out'
      and people_of(mailbox_id, to_addresses || cc_addresses) && people_of(${mailbox}, array[${key}, ${shown}])
  )`;
}

/** The address with its domain in A-labels, as we compare it, and as people may have written it. */
export function formsOf(addressKey: string): [key: string, shown: string] {
  const at = addressKey.lastIndexOf('@');
  return [addressKey, `${addressKey.slice(0, at)}@${domainToUnicode(addressKey.slice(at + 1))}`];
}
