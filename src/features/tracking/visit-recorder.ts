/**
 * Takes visits at once and writes them down together, four times a second: an open costs its visitor no query, and ten
 * thousand of them cost the database as much as a few. A click waits a second more, to see whether it comes alone.
 * While the database is away all of them wait here, so nobody who opens or clicks notices. What a killed process had
 * not written down yet is lost; what it was told to stop with is not. What the database will not take is lost alone.
 */
import type { Db } from '../../platform/database.ts';
import { isRefusal } from '../../platform/database-errors.ts';
import type { Log } from '../../platform/log.ts';
import { isScanner, judgeVisit, type VisitRequest } from './judge-visit.ts';
import type { ClickLink, EmailRef } from './links.ts';
import { recordVisits, type PeopleVisits, type Visits } from './visits.ts';

export interface VisitRecorder {
  opened(email: EmailRef, request: VisitRequest): void;
  clicked(link: ClickLink, request: VisitRequest): void;
  /** Writes down what there is. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 250;
const CLICKS_WAIT_MS = 1_000;
/** When somebody opens a mail before the outcome of its delivery is written down. */
const EARLY_WAIT_MS = 60_000;
const EARLY_AGAIN_MS = 1_000;
const AWAY_AGAIN_MS = 1_000;
const AT_ONCE = 2_000;
/** While the database is away; past it new ones are not kept. */
const MAX_EMAILS = 200_000;
const MAX_USER_AGENT = 300;
const MAX_LINKS = 10;

/** What is not written down yet of one email. */
interface Waiting extends Visits {
  /** Which links were followed within a second, by those who seem to be people. */
  links: string[];
  linksSinceMs: number;
  /** Not to be written down before. */
  waitUntilMs: number;
  /** Since when it is known that its outcome is not there yet. */
  earlySinceMs: number | null;
}

export function createVisitRecorder(db: Db, log: Log): VisitRecorder {
  /** By the ids of emails, which no two teams share. */
  const waiting = new Map<string, Waiting>();
  let writing: Promise<void> | null = null;
  let restUntilMs = 0;

  /** What waits for this email, made if there is room for it. */
  function find({ teamId, emailId }: EmailRef): Waiting | null {
    let found = waiting.get(emailId);
    if (found === undefined && waiting.size < MAX_EMAILS) {
      found = startWaiting(teamId, emailId);
      waiting.set(emailId, found);
    }
    return found ?? null;
  }

  /** Takes out what is ripe; clicks that are to be judged later stay. */
  function take(nowMs: number): Waiting[] {
    const batch: Waiting[] = [];
    for (const [emailId, one] of waiting) {
      if (one.waitUntilMs > nowMs) continue;
      waiting.delete(emailId);
      if (isScanner(one.links.length)) one.people = null;
      batch.push(one);
      if (batch.length === AT_ONCE) break;
    }
    return batch;
  }

  function putBack(before: Waiting): void {
    const newer = waiting.get(before.emailId);
    // Its links have been judged, and are not to be taken together with later ones.
    before.links = [];
    waiting.set(before.emailId, newer ? join(before, newer) : before);
  }

  function putBackEarly(early: Waiting, nowMs: number): void {
    early.earlySinceMs ??= nowMs;
    if (nowMs - early.earlySinceMs >= EARLY_WAIT_MS) return;
    early.waitUntilMs = nowMs + EARLY_AGAIN_MS;
    // Everybody's were counted.
    early.opens = early.clicks = 0;
    putBack(early);
  }

  async function writeBatch(batch: Waiting[], nowMs: number): Promise<void> {
    const ofEmail = new Map<Visits, Waiting>(batch.map((one) => [one, one]));
    let early: Visits[];
    try {
      early = await recordVisits(db, batch);
    } catch (error) {
      if (isRefusal(error)) return writeApart(batch, nowMs, error);
      for (const one of batch) putBack(one);
      throw error;
    }
    for (const one of early) putBackEarly(ofEmail.get(one)!, nowMs);
  }

  /** In halves, until the one that is refused stands alone. */
  async function writeApart(batch: Waiting[], nowMs: number, error: unknown): Promise<void> {
    if (batch.length === 1) {
      log.error({ err: error, emailId: batch[0]!.emailId }, 'visits: lost, because they cannot be written');
      return;
    }
    const middle = Math.floor(batch.length / 2);
    const second = batch.slice(middle);
    try {
      await writeBatch(batch.slice(0, middle), nowMs);
    } catch (failure) {
      for (const one of second) putBack(one);
      throw failure;
    }
    await writeBatch(second, nowMs);
  }

  /** What is put back comes last, so that each is taken once. */
  async function write(nowMs: number): Promise<void> {
    for (let left = waiting.size; left > 0; left -= AT_ONCE) {
      const batch = take(nowMs);
      if (batch.length === 0) return;
      await writeBatch(batch, performance.now());
    }
  }

  async function writeOrRest(): Promise<void> {
    const nowMs = performance.now();
    if (waiting.size === 0 || nowMs < restUntilMs) return;
    try {
      await write(nowMs);
    } catch (error) {
      restUntilMs = performance.now() + AWAY_AGAIN_MS;
      log.warn({ err: error, emails: waiting.size }, 'visits: not written, kept for the next time');
    }
  }

  const timer = setInterval(() => {
    writing ??= writeOrRest().finally(() => (writing = null));
  }, WRITE_EVERY_MS);

  return {
    opened(email, request) {
      const found = find(email);
      if (!found) return;
      found.opens += 1;
      if (judgeVisit(request) === 'machine') return;
      const people = (found.people ??= nobody());
      people.opens += 1;
      people.open ??= { atMs: performance.now(), userAgent: nameOf(request) };
    },
    clicked(link, request) {
      const found = find(link);
      if (!found) return;
      found.clicks += 1;
      if (judgeVisit(request) === 'machine') return;
      const atMs = performance.now();
      noteLink(found, link.url, atMs);
      const people = (found.people ??= nobody());
      people.clicks += 1;
      people.click ??= { atMs, userAgent: nameOf(request), url: link.url };
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write(Infinity).catch((error: unknown) =>
        log.error({ err: error, emails: waiting.size }, 'visits: lost, because they could not be written'),
      );
    },
  };
}

function startWaiting(teamId: number, emailId: string): Waiting {
  return {
    teamId,
    emailId,
    opens: 0,
    clicks: 0,
    people: null,
    links: [],
    linksSinceMs: 0,
    waitUntilMs: 0,
    earlySinceMs: null,
  };
}

/** Who takes longer between two links is a person, also while nothing can be written down. */
function noteLink(found: Waiting, url: string, nowMs: number): void {
  const isLater = nowMs - found.linksSinceMs >= CLICKS_WAIT_MS;
  if (found.links.length === 0 || (isLater && !isScanner(found.links.length))) {
    found.links = [];
    found.linksSinceMs = nowMs;
    found.waitUntilMs = Math.max(found.waitUntilMs, nowMs + CLICKS_WAIT_MS);
  }
  if (found.links.length < MAX_LINKS && !found.links.includes(url)) found.links.push(url);
}

function nobody(): PeopleVisits {
  return { opens: 0, clicks: 0, open: null, click: null };
}

function nameOf({ userAgent }: VisitRequest): string {
  return (userAgent ?? '').slice(0, MAX_USER_AGENT);
}

/** Of two of one email; the first open and the first click are what is told. */
function join(before: Waiting, newer: Waiting): Waiting {
  return {
    ...newer,
    opens: before.opens + newer.opens,
    clicks: before.clicks + newer.clicks,
    people: joinPeople(before.people, newer.people),
    waitUntilMs: Math.max(before.waitUntilMs, newer.waitUntilMs),
    earlySinceMs: before.earlySinceMs ?? newer.earlySinceMs,
  };
}

function joinPeople(before: PeopleVisits | null, newer: PeopleVisits | null): PeopleVisits | null {
  if (!before || !newer) return before ?? newer;
  return {
    opens: before.opens + newer.opens,
    clicks: before.clicks + newer.clicks,
    open: before.open ?? newer.open,
    click: before.click ?? newer.click,
  };
}
