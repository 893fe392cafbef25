/**
 * The rules, blocks and watchers of mailboxes; rules are compiled. They are read again only when the mailbox's `arrival_version` has changed,
 * which comes with the look-up of the recipient. So a mailbox without any costs nothing.
 */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Destination } from '../mailboxes/find-mailbox.ts';
import { compileRule, type CompiledRule, type StoredRule } from './decide.ts';

export type BlockAction = Row<'mailbox_blocks'>['action'];

export interface Arrival {
  rules: CompiledRule[];
  blocks: ReadonlyMap<string, BlockAction>;
  /** The people who are notified of every message. */
  watchers: string[];
}

const NOTHING: Arrival = { rules: [], blocks: new Map(), watchers: [] };
const MAX_CACHED = 2_000;

const cached = new Map<string, { version: number; arrival: Promise<Arrival> }>();

export async function readArrival(
  db: Db,
  { teamId, mailboxId, arrivalVersion = 0 }: Destination,
): Promise<Arrival> {
  if (arrivalVersion === 0) return NOTHING;
  const known = cached.get(mailboxId);
  if (known?.version === arrivalVersion) return known.arrival;
  const arrival = load(db, teamId, mailboxId);
  cached.delete(mailboxId);
  if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value!);
  const entry = { version: arrivalVersion, arrival };
  cached.set(mailboxId, entry);
  arrival.catch(() => {
    if (cached.get(mailboxId) === entry) cached.delete(mailboxId);
  });
  return arrival;
}

/** What the mailbox wants to be done with mail of this sender, or null. */
export function findBlock({ blocks }: Arrival, sender: string | null | undefined): BlockAction | null {
  const address = blocks.size > 0 && sender ? parseAddress(sender) : null;
  return address ? (blocks.get(address.key) ?? blocks.get(`@${address.domain}`) ?? null) : null;
}

async function load(db: Db, teamId: number, mailboxId: string): Promise<Arrival> {
  const { rows: blocks } = await sql<Row<'mailbox_blocks', 'entry' | 'action'>>`
    select entry, action from mailbox_blocks where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(db);
  const { rows: rules } = await sql<StoredRule>`
    select id, match, conditions, actions, stop from mailbox_rules
    where team_id = ${teamId} and mailbox_id = ${mailboxId} and enabled order by position, id
  `.execute(db);
  const { rows: watchers } = await sql<Row<'mailbox_watchers', 'user_id'>>`
    select user_id from mailbox_watchers where team_id = ${teamId} and mailbox_id = ${mailboxId}
  `.execute(db);
  return {
    watchers: watchers.map(({ user_id }) => user_id),
    rules: rules.map(compileRule),
    blocks: new Map(blocks.map(({ entry, action }) => [entry, action])),
  };
}
