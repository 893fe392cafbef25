/**
 * The visits that are not yet written, by email. This file uses no clock, timer or database; the caller passes the
 * time. The map is modified in place, because tens of thousands of visits may arrive per second.
 */
import { isScanner, classifyVisitor, type VisitRequest } from './classify-visitor.ts';
import type { ClickLink, EmailRef } from '../../content/links/links.ts';
import type { LinkClicks, PeopleVisits, Visits } from './visits.ts';

/** How long a click waits, in order to detect scanners, which follow every link immediately. */
const CLICKS_WAIT_MS = 1_000;
/** An email may be opened before its delivery outcome is recorded. Its visits wait this long for the outcome. */
const EARLY_WAIT_MS = 60_000;
const EARLY_AGAIN_MS = 1_000;
/** Maximum batch size. */
export const BATCH_SIZE = 2_000;
/** Reached only while the database is unavailable. Visits to further emails are then dropped. */
const MAX_EMAILS = 200_000;
const MAX_USER_AGENT = 300;
const MAX_LINKS = 10;
/** Clicks on further links of an email are not counted by link. Only visitors that follow every link reach this. */
const MAX_CLICKED_LINKS = 200;

/** The unwritten visits to one email. */
export interface WaitingVisit extends Visits {
  /** Links that were followed within a second, by visitors that seem to be people. */
  links: string[];
  linksSinceMs: number;
  /** The visits must not be written before this time. */
  waitUntilMs: number;
  /** Time at which the delivery outcome was found to be missing. */
  earlySinceMs: number | null;
}

/** Keyed by email ID, which is unique across teams. */
export type WaitingVisits = Map<string, WaitingVisit>;

export function addOpen(waiting: WaitingVisits, email: EmailRef, request: VisitRequest, nowMs: number): void {
  const found = findOrStart(waiting, email);
  if (!found) return;
  found.opens += 1;
  if (classifyVisitor(request) === 'machine') return;
  const people = (found.people ??= noVisits());
  people.opens += 1;
  people.open ??= { atMs: nowMs, userAgent: shortenAgent(request) };
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
  const visitor = classifyVisitor(request);
  countLink((found.clickedLinks ??= new Map()), link.url, visitor === 'person' ? 'people' : 'machines', 1);
  if (visitor === 'machine') return;
  addLink(found, link.url, nowMs);
  const people = (found.people ??= noVisits());
  people.clicks += 1;
  people.click ??= { atMs: nowMs, userAgent: shortenAgent(request), url: link.url };
}

/** Removes the first visits whose wait is over. Many links within a second mean that the visitor was a scanner. */
export function takeDue(waiting: WaitingVisits, nowMs: number): WaitingVisit[] {
  const batch: WaitingVisit[] = [];
  for (const [emailId, visits] of waiting) {
    if (visits.waitUntilMs > nowMs) continue;
    waiting.delete(emailId);
    if (isScanner(visits.links.length)) markAsMachine(visits);
    batch.push(visits);
    if (batch.length === BATCH_SIZE) break;
  }
  return batch;
}

/** Adds visits that could not be written to the end, merged with newer ones of the same email. */
export function putBack(waiting: WaitingVisits, before: WaitingVisit): void {
  const newer = waiting.get(before.emailId);
  // These links were already classified and do not count together with later ones.
  before.links = [];
  waiting.set(before.emailId, newer ? join(before, newer) : before);
}

/** All visits were counted. Visits by people wait for the delivery outcome, up to a minute. */
export function putBackEarly(waiting: WaitingVisits, early: WaitingVisit, nowMs: number): void {
  early.earlySinceMs ??= nowMs;
  if (nowMs - early.earlySinceMs >= EARLY_WAIT_MS) return;
  early.waitUntilMs = nowMs + EARLY_AGAIN_MS;
  early.opens = early.clicks = 0;
  for (const clicks of early.clickedLinks?.values() ?? []) clicks.machines = 0;
  putBack(waiting, early);
}

/** An email of a campaign is stored with its delivery outcome. Nothing was counted yet. */
export function putBackUnknown(waiting: WaitingVisits, unknown: WaitingVisit, nowMs: number): void {
  unknown.earlySinceMs ??= nowMs;
  if (nowMs - unknown.earlySinceMs >= EARLY_WAIT_MS) return;
  unknown.waitUntilMs = nowMs + EARLY_AGAIN_MS;
  putBack(waiting, unknown);
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
    clickedLinks: null,
    links: [],
    linksSinceMs: 0,
    waitUntilMs: 0,
    earlySinceMs: null,
  };
}

/** A visitor that takes more than a second between links is a person, even while nothing can be written. */
function addLink(found: WaitingVisit, url: string, nowMs: number): void {
  const isLater = nowMs - found.linksSinceMs >= CLICKS_WAIT_MS;
  if (found.links.length === 0 || (isLater && !isScanner(found.links.length))) {
    found.links = [];
    found.linksSinceMs = nowMs;
    found.waitUntilMs = Math.max(found.waitUntilMs, nowMs + CLICKS_WAIT_MS);
  }
  if (found.links.length < MAX_LINKS && !found.links.includes(url)) found.links.push(url);
}

function markAsMachine(visits: WaitingVisit): void {
  visits.people = null;
  for (const clicks of visits.clickedLinks?.values() ?? []) {
    clicks.machines += clicks.people;
    clicks.people = 0;
  }
}

function countLink(links: Map<string, LinkClicks>, url: string, by: keyof LinkClicks, count: number): void {
  let clicks = links.get(url);
  if (clicks === undefined) {
    if (links.size === MAX_CLICKED_LINKS) return;
    links.set(url, (clicks = { people: 0, machines: 0 }));
  }
  clicks[by] += count;
}

function noVisits(): PeopleVisits {
  return { opens: 0, clicks: 0, open: null, click: null };
}

function shortenAgent({ userAgent }: VisitRequest): string {
  return (userAgent ?? '').slice(0, MAX_USER_AGENT);
}

/** Merges two entries of one email. Events use the first open and the first click. */
function join(before: WaitingVisit, newer: WaitingVisit): WaitingVisit {
  return {
    ...newer,
    opens: before.opens + newer.opens,
    clicks: before.clicks + newer.clicks,
    people: joinPeople(before.people, newer.people),
    clickedLinks: joinLinks(before.clickedLinks, newer.clickedLinks),
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

function joinLinks(
  before: Map<string, LinkClicks> | null,
  newer: Map<string, LinkClicks> | null,
): Map<string, LinkClicks> | null {
  if (!before || !newer) return before ?? newer;
  for (const [url, { people, machines }] of newer) {
    countLink(before, url, 'people', people);
    countLink(before, url, 'machines', machines);
  }
  return before;
}
