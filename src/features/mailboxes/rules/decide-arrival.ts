/** Reads the rules and blocks of the mailboxes that a message goes to, and decides, before its transaction begins. */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { matchesFilter } from '../../automations/runs/match-filter.ts';
import type { SegmentFilter } from '../../audience/segments/segment-filter.ts';
import type { Destination } from '../mailboxes/find-mailbox.ts';
import type { SpamVerdicts } from '../spam/judge-arrival.ts';
import { isKnownPerson } from '../reading/first-contact.ts';
import { findBlock, readArrival, type Arrival } from './arrival.ts';
import { decide, nothingDecided, type CompiledRule, type RuleDecision } from './decide.ts';
import { readFacts, type ArrivingMessage, type LookedUp } from './message-facts.ts';

export type Decisions = ReadonlyMap<string, RuleDecision>;

const NONE: Decisions = new Map();

/** By the ID of the mailbox. Mailboxes without rules, blocks and watchers are left out. */
export async function decideArrival(
  db: Db,
  message: ArrivingMessage & { destinations: readonly Destination[]; mailFrom: string },
  verdicts: SpamVerdicts,
): Promise<Decisions> {
  const concerned = message.destinations.filter(({ arrivalVersion }) => arrivalVersion);
  if (concerned.length === 0) return NONE;
  const decisions = new Map<string, RuleDecision>();
  const shared = readFacts(message);
  const senderKey = parseAddress(message.parsed.from?.address ?? '')?.key ?? null;
  for (const destination of concerned) {
    const arrival = await readArrival(db, destination);
    const block = findBlock(arrival, message.parsed.from?.address) ?? findBlock(arrival, message.mailFrom);
    if (block) decisions.set(destination.mailboxId, { ...nothingDecided(), folder: 'spam' });
    else if (arrival.rules.length > 0 || arrival.watchers.length > 0) {
      const isSpam = message.isSpam || (verdicts.get(destination.mailboxId)?.isSpam ?? false);
      const lookedUp = { ...(await lookUp(db, destination, arrival, senderKey)), isSpam };
      // Getters would be lost by spreading.
      const facts = Object.defineProperties(
        {},
        { ...Object.getOwnPropertyDescriptors(shared), ...Object.getOwnPropertyDescriptors(lookedUp) },
      );
      const decision = decide(arrival.rules, facts as typeof shared & LookedUp);
      decisions.set(destination.mailboxId, { ...decision, watchers: arrival.watchers });
    }
  }
  return decisions;
}

/** Reads only what a rule asks for. */
async function lookUp(
  db: Db,
  destination: Destination,
  { rules }: Arrival,
  senderKey: string | null,
): Promise<LookedUp> {
  return {
    deliveredTo: destination.deliveredTo ?? destination.addressKey,
    isFirstContact: rules.some(({ needsFirstContact }) => needsFirstContact)
      ? senderKey !== null && !(await isKnownPerson(db, destination, senderKey))
      : null,
    segments: await findSegments(db, destination.teamId, namedSegments(rules), senderKey),
  };
}

function namedSegments(rules: readonly CompiledRule[]): string[] {
  return [...new Set(rules.flatMap(({ segments }) => segments))];
}

type SegmentContact = Row<'segments', 'id' | 'contact_book_id'> & {
  filter: SegmentFilter;
  contactId: Row<'contacts'>['id'];
};

/** Returns those of the segments that the person is in. A segment that is gone has nobody. */
export async function findSegments(
  db: Db,
  teamId: number,
  segmentIds: readonly string[],
  addressKey: string | null,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (segmentIds.length === 0 || addressKey === null) return found;
  const keys = segmentIds.flatMap((id) => decodeId('seg', id) ?? []);
  const { rows } = await sql<SegmentContact>`
    select s.id, s.contact_book_id, s.filter, c.id as "contactId" from segments s
    join contacts c on c.team_id = s.team_id and c.contact_book_id = s.contact_book_id and c.email_key = ${addressKey}
    where s.team_id = ${teamId} and s.id = any(${keys}::uuid[])
  `.execute(db);
  for (const { id, contact_book_id: contactBookId, contactId, filter } of rows) {
    const contact = { teamId, contactBookId, contactId };
    if (await matchesFilter(db, contact, filter, { runId: null, event: {}, outputs: {} }))
      found.add(encodeId('seg', id));
  }
  return found;
}
