/**
 * Takes visits at once and writes them down together, ten times a second: an open costs its visitor no query, and ten
 * thousand of them cost the database as much as a few. A click waits a second more, to see whether it comes alone.
 * What a killed process had not written down yet is lost; what it was told to stop with is not.
 */
import type { Db } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { judgeVisit, type VisitRequest } from './judge-visit.ts';
import type { ClickLink, EmailRef } from './links.ts';
import { countVisits, recordPeople, type PeopleVisits, type Visits } from './visits.ts';

export interface VisitRecorder {
  opened(email: EmailRef, request: VisitRequest): void;
  clicked(link: ClickLink, request: VisitRequest): void;
  /** Writes down what there is. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 100;
const CLICKS_WAIT_MS = 1_000;
/** When somebody opens a mail before the outcome of its delivery is written down. */
const EARLY_WAIT_MS = 60_000;
const AT_ONCE = 1_000;
/** While the database is away; past it new ones are not kept. */
const MAX_EMAILS = 200_000;
const MAX_USER_AGENT = 300;
const MAX_LINKS = 10;

/** What people seem to have done with one email. */
interface Held {
  visits: PeopleVisits;
  /** The first of them. */
  request: VisitRequest;
  links: Set<string>;
  since: number;
}

export function createVisitRecorder(db: Db, log: Log): VisitRecorder {
  const counts = new Map<string, Visits>();
  const people = new Map<string, Held>();
  let writing: Promise<void> | null = null;

  function count(email: EmailRef, kind: 'opens' | 'clicks'): void {
    const visits = find(counts, email, ({ teamId, emailId }) => ({ teamId, emailId, opens: 0, clicks: 0 }));
    if (visits) visits[kind] += 1;
  }

  /** Null for a machine. */
  function hold(email: EmailRef, request: VisitRequest): Held | null {
    if (judgeVisit(request) === 'machine') return null;
    return find(people, email, ({ teamId, emailId }) => ({
      visits: { teamId, emailId, opens: 0, clicks: 0, open: null, click: null },
      request,
      links: new Set(),
      since: Date.now(),
    }));
  }

  async function writeCounts(): Promise<void> {
    for (let batch = take(counts, () => true); batch.length > 0; batch = take(counts, () => true)) {
      await countVisits(db, batch).catch((error: unknown) => {
        for (const visits of batch) {
          const kept = find(counts, visits, () => ({ ...visits, opens: 0, clicks: 0 }));
          if (kept) addCounts(kept, visits);
        }
        throw error;
      });
    }
  }

  async function writePeople(isLast: boolean): Promise<void> {
    const now = Date.now();
    const isRipe = ({ visits, since }: Held) =>
      isLast || visits.click === null || now - since >= CLICKS_WAIT_MS;
    const batch = take(people, isRipe).filter(
      ({ request, links }) => judgeVisit(request, { linksAtOnce: links.size }) === 'person',
    );
    if (batch.length === 0) return;
    const ofEmail = new Map(batch.map((held) => [keyOf(held.visits), held]));
    const visits = batch.map((held) => held.visits);
    let early = visits;
    try {
      early = await recordPeople(db, visits);
    } finally {
      for (const visit of early) {
        const held = ofEmail.get(keyOf(visit))!;
        if (now - held.since < EARLY_WAIT_MS) putBack(people, held);
      }
    }
  }

  async function write(isLast: boolean): Promise<void> {
    if (counts.size === 0 && people.size === 0) return;
    try {
      await writeCounts();
      await writePeople(isLast);
    } catch (error) {
      log.warn({ err: error }, 'visits: not written, kept for the next time');
    }
  }

  const timer = setInterval(() => {
    writing ??= write(false).finally(() => (writing = null));
  }, WRITE_EVERY_MS);

  return {
    opened(email, request) {
      count(email, 'opens');
      const held = hold(email, request);
      if (!held) return;
      held.visits.opens += 1;
      held.visits.open ??= { at: new Date(), userAgent: nameOf(request) };
    },
    clicked(link, request) {
      count(link, 'clicks');
      const held = hold(link, request);
      if (!held) return;
      held.visits.clicks += 1;
      held.visits.click ??= { at: new Date(), userAgent: nameOf(request), url: link.url };
      if (held.links.size < MAX_LINKS) held.links.add(link.url);
    },
    async close() {
      clearInterval(timer);
      await writing;
      while (people.size > 0 || counts.size > 0) {
        const before = people.size + counts.size;
        await write(true);
        // What cannot be written now never will be.
        if (people.size + counts.size >= before) break;
      }
    },
  };
}

function nameOf({ userAgent }: VisitRequest): string {
  return (userAgent ?? '').slice(0, MAX_USER_AGENT);
}

function keyOf({ teamId, emailId }: EmailRef): string {
  return `${teamId}/${emailId}`;
}

/** What is kept for this email, made if there is room for it. */
function find<Kept>(kept: Map<string, Kept>, email: EmailRef, make: (email: EmailRef) => Kept): Kept | null {
  const key = keyOf(email);
  let found = kept.get(key);
  if (found === undefined && kept.size < MAX_EMAILS) kept.set(key, (found = make(email)));
  return found ?? null;
}

function take<Kept>(kept: Map<string, Kept>, isRipe: (one: Kept) => boolean): Kept[] {
  const batch: Kept[] = [];
  for (const [key, one] of kept) {
    if (!isRipe(one)) continue;
    kept.delete(key);
    batch.push(one);
    if (batch.length === AT_ONCE) break;
  }
  return batch;
}

function putBack(people: Map<string, Held>, before: Held): void {
  const newer = people.get(keyOf(before.visits));
  // Its links have been judged, and are not to be taken together with later ones.
  const held = { ...before, links: newer?.links ?? new Set<string>() };
  people.set(keyOf(held.visits), held);
  if (!newer) return;
  addCounts(held.visits, newer.visits);
  held.visits.open ??= newer.visits.open;
  held.visits.click ??= newer.visits.click;
}

function addCounts(sum: Visits, more: Visits): void {
  sum.opens += more.opens;
  sum.clicks += more.clicks;
}
