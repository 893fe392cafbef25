/**
 * Reasons to be careful with a received message. A person that the mailbox corresponds with, and who is who they say, has
 * none, so that people do not learn to ignore warnings.
 */
import { looksLike } from '../../../mail/auth/look-alike.ts';
import type { Db } from '../../../platform/database/database.ts';
import { listDomainNames } from '../../sending/domains/find-domain.ts';
import { keyOfPerson } from '../storage/participants.ts';
import { verdictOf } from '../storage/verdict.ts';
import { isKnownPerson } from './first-contact.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Message } from './threads.schema.ts';

/** Senders of a thread that are looked up. */
const MOST_LOOKED_UP = 20;

interface WarnedRow extends Row<
  'messages',
  'direction' | 'mailbox_id' | 'sender' | 'to_addresses' | 'cc_addresses' | 'reply_to' | 'created_at'
> {
  authentication: Message['authentication'];
}

type Warnings = Message['warnings'];

/** Expects the messages of one mailbox, oldest first. */
export async function addWarnings<Shown extends WarnedRow>(
  db: Db,
  teamId: number,
  rows: readonly Shown[],
): Promise<(Shown & { first_contact?: boolean; warnings?: Warnings })[]> {
  const received = rows.filter(({ direction }) => direction === 'in');
  if (received.length === 0) return [...rows];
  const firstOf = new Map<string, Shown>();
  for (const row of received) {
    const key = keyOfPerson(row.sender);
    if (key && !firstOf.has(key) && firstOf.size < MOST_LOOKED_UP) firstOf.set(key, row);
  }
  const strangers = new Set<Shown>();
  for (const [key, row] of firstOf) {
    const mailbox = { teamId, mailboxId: row.mailbox_id };
    if (!(await isKnownPerson(db, mailbox, key, row.created_at))) strangers.add(row);
  }
  const own = strangers.size > 0 ? (await listDomainNames(db, teamId)).map(({ name }) => name) : [];
  const people = new Set<string>();
  return rows.map((row, at) => {
    const before = new Set(people);
    for (const person of [row.sender, ...row.to_addresses, ...row.cc_addresses])
      people.add(keyOfPerson(person));
    if (row.direction !== 'in') return row;
    const key = keyOfPerson(row.sender);
    const isStranger = strangers.has(row);
    const hasJoined = at > 0 && isStranger && !before.has(key);
    return {
      ...row,
      first_contact: isStranger,
      warnings: warningsOf(row, { key, isStranger, hasJoined, own }),
    };
  });
}

interface Sender {
  key: string;
  isStranger: boolean;
  hasJoined: boolean;
  own: readonly string[];
}

function warningsOf(row: WarnedRow, { key, isStranger, hasJoined, own }: Sender): Warnings {
  const warnings: Warnings = [];
  const { authentication } = row;
  const isUnproven =
    authentication !== null &&
    verdictOf(authentication) === 'none' &&
    authentication.spf !== 'pass' &&
    authentication.dkim !== 'pass';
  if (verdictOf(authentication) === 'fail' || (isUnproven && isStranger))
    warnings.push({ kind: 'unverified', value: null });
  const domain = key.slice(key.lastIndexOf('@') + 1);
  const alike = isStranger && domain ? looksLike(domain, own) : null;
  if (alike) warnings.push({ kind: 'look_alike', value: alike });
  const elsewhere = row.reply_to.find((person) => domainOf(keyOfPerson(person)) !== domain);
  if (elsewhere && isStranger) warnings.push({ kind: 'reply_to', value: elsewhere });
  if (hasJoined) warnings.push({ kind: 'new_in_thread', value: null });
  return warnings;
}

function domainOf(key: string): string {
  return key.slice(key.lastIndexOf('@') + 1);
}
