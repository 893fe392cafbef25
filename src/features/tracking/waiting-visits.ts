/**
 * The visits that are not written yet, by email. No clock, timer or database in here: the caller gives the time. The map
 * is changed in place, because tens of thousands of visits come in a second.
 */
import { isScanner, judgeVisit, type VisitRequest } from './judge-visit.ts';
import type { ClickLink, EmailRef } from './links.ts';
import type { PeopleVisits, Visits } from './visits.ts';

/** How long a click waits, to see whether its visitor follows every link at once, as scanners do. */
const CLICKS_WAIT_MS = 1_000;
/** An email may be opened before the outcome of its delivery is written. Its visits wait this long for that. */
const EARLY_WAIT_MS = 60_000;
const EARLY_AGAIN_MS = 1_000;
/** The largest batch. */
export const AT_ONCE = 2_000;
/** Reached while the database is away. Visits to further emails are dropped then. */
const MAX_EMAILS = 200_000;
const MAX_USER_AGENT = 300;
const MAX_LINKS = 10;

/** What is not written yet of one email. */
export interface WaitingVisit extends Visits {
  /** Which links were followed within a second, by visitors that seem to be people. */
  links: string[];
  linksSinceMs: number;
  /** Not to be written before. */
  waitUntilMs: number;
  /** Since when it is known that the outcome of its delivery is missing. */
  earlySinceMs: number | null;
}

/** By the ids of emails, which no two teams share. */
export type WaitingVisits = Map<string, WaitingVisit>;

export function addOpen(waiting: WaitingVisits, email: EmailRef, request: VisitRequest, nowMs: number): void {
  const found = findOrStart(waiting, email);
  if (!found) return;
  found.opens += 1;
  if (judgeVisit(request) === 'machine') return;
  const people = (found.people ??= nobody());
  people.opens += 1;
  people.open ??= { atMs: nowMs, userAgent: nameOf(request) };
}

export function addClick(
  waiting: WaitingVisits,
  link: ClickLink,
  request: VisitRequest,
  nowMs: number,
): void {
  const found = findOrStart(waiting, link);
  if (!found) return;
  found.clicks += 1;
  if (judgeVisit(request) === 'machine') return;
  noteLink(found, link.url, nowMs);
  const people = (found.people ??= nobody());
  people.clicks += 1;
  people.click ??= { atMs: nowMs, userAgent: nameOf(request), url: link.url };
}

/** Removes the first visits whose wait is over. A visitor that followed many links within a second was a scanner. */
export function takeDue(waiting: WaitingVisits, nowMs: number): WaitingVisit[] {
  const batch: WaitingVisit[] = [];
  for (const [emailId, one] of waiting) {
    if (one.waitUntilMs > nowMs) continue;
    waiting.delete(emailId);
    if (isScanner(one.links.length)) one.people = null;
    batch.push(one);
    if (batch.length === AT_ONCE) break;
  }
  return batch;
}

/** What could not be written waits behind the others, together with what came meanwhile. */
export function putBack(waiting: WaitingVisits, before: WaitingVisit): void {
  const newer = waiting.get(before.emailId);
  // Its links have been judged, and do not count together with later ones.
  before.links = [];
  waiting.set(before.emailId, newer ? join(before, newer) : before);
}

/** The visits of everybody were counted; those of people wait for the outcome of the delivery, up to a minute. */
export function putBackEarly(waiting: WaitingVisits, early: WaitingVisit, nowMs: number): void {
  early.earlySinceMs ??= nowMs;
  if (nowMs - early.earlySinceMs >= EARLY_WAIT_MS) return;
  early.waitUntilMs = nowMs + EARLY_AGAIN_MS;
  early.opens = early.clicks = 0;
  putBack(waiting, early);
}

function findOrStart(waiting: WaitingVisits, { teamId, emailId }: EmailRef): WaitingVisit | null {
  let found = waiting.get(emailId);
  if (found === undefined && waiting.size < MAX_EMAILS) {
    found = startWaiting(teamId, emailId);
    waiting.set(emailId, found);
  }
  return found ?? null;
}

function startWaiting(teamId: number, emailId: string): WaitingVisit {
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

/** A visitor that takes longer than a second between two links is a person, also while nothing can be written. */
function noteLink(found: WaitingVisit, url: string, nowMs: number): void {
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

/** Two of one email. The first open and the first click are the ones that events tell of. */
function join(before: WaitingVisit, newer: WaitingVisit): WaitingVisit {
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
