/**
 * Decides how many messages a new address may send to a provider in a day. The functions are pure.
 * - The limit rises by the factor after a good day on which at least half of it was used. It holds when one of the limits
 *   of QUALITY was passed, and halves when one was passed twofold.
 * - Only days with mail count. After 14 idle days the limit falls by a quarter for each week, and after 60 it begins anew.
 * - At the target the address is warm: there is no limit any more.
 */
import type { Row } from '../../../platform/database/rows.ts';
import { DAY_MS } from '../../../platform/durations.ts';

export interface WarmUp {
  target: number;
  start: number;
  factor: number;
}

export interface WarmDay extends Row<'egress_days', 'cap' | 'sent' | 'deferred' | 'blocked' | 'bounced'> {
  /** As in `2026-11-19`, in UTC. */
  date: string;
}

/** Complaints come from all providers together, and later than the day. They are a share of the mail of its domains. */
export interface Complaints {
  complained: number;
  delivered: number;
}

export interface DayLimit {
  /** Null: warm. */
  cap: number | null;
  change: 'start' | 'rise' | 'hold' | 'halve' | 'rest' | 'warm';
  because: string;
}

const QUALITY = { deferred: 0.05, blocked: 0.01, complained: 0.001, bounced: 0.02 } as const;
const WORDS: Record<keyof typeof QUALITY, string> = {
  deferred: 'were deferred',
  blocked: 'were blocked',
  complained: 'were reported as spam',
  bounced: 'bounced',
};
/** Fewer cases say nothing about a share. */
const MIN_CASES = 3;
const USED_SHARE = 0.5;
const IDLE_DAYS = 14;
const COLD_DAYS = 60;

export function limitOfDay(
  warmUp: WarmUp,
  last: WarmDay | null,
  today: string,
  complaints: Complaints,
): DayLimit {
  const first = Math.min(warmUp.start, warmUp.target);
  if (!last) return { cap: first, change: 'start', because: 'The first day.' };
  const idleDays = Math.round((Date.parse(today) - Date.parse(last.date)) / DAY_MS) - 1;
  const before = last.cap ?? warmUp.target;
  if (idleDays >= COLD_DAYS)
    return { cap: first, change: 'start', because: `Nothing was sent for ${idleDays} days.` };
  if (idleDays >= IDLE_DAYS) {
    const cap = Math.max(first, Math.floor(before * 0.75 ** Math.floor(idleDays / 7)));
    return { cap, change: 'rest', because: `Nothing was sent for ${idleDays} days.` };
  }
  const fault = worstOf(last, complaints);
  if (fault && fault.times > 2)
    return { cap: Math.max(1, Math.floor(before / 2)), change: 'halve', because: fault.because };
  if (last.cap === null) return { cap: null, change: 'warm', because: 'The target is reached.' };
  if (fault) return { cap: before, change: 'hold', because: fault.because };
  if (last.sent < before * USED_SHARE)
    return { cap: before, change: 'hold', because: `Only ${last.sent} of ${before} messages were sent.` };
  if (before >= warmUp.target) return { cap: null, change: 'warm', because: 'The target is reached.' };
  const cap = Math.min(warmUp.target, Math.max(before + 1, Math.floor(before * warmUp.factor)));
  return { cap, change: 'rise', because: `A good day with ${last.sent} messages.` };
}

function worstOf(
  { sent, deferred, blocked, bounced }: WarmDay,
  { complained, delivered }: Complaints,
): { times: number; because: string } | null {
  const shares = [
    { name: 'deferred', cases: deferred, outOf: sent },
    { name: 'blocked', cases: blocked, outOf: sent },
    { name: 'bounced', cases: bounced, outOf: sent },
    { name: 'complained', cases: complained, outOf: delivered },
  ] as const;
  const faults = shares
    .filter(({ name, cases, outOf }) => cases >= MIN_CASES && cases >= outOf * QUALITY[name])
    .map(({ name, cases, outOf }) => ({
      times: cases / Math.max(1, outOf) / QUALITY[name],
      because: `${cases} of ${outOf} messages ${WORDS[name]}.`,
    }));
  return faults.toSorted((a, b) => b.times - a.times)[0] ?? null;
}

const MAX_DAYS = 365;

/**
 * On which day, counted from 0 for today, the message with this number (from 0) can be sent if every day is good.
 * `room` is what is left of today.
 */
export function dayOfMessage(
  warmUp: WarmUp,
  today: { cap: number | null; room: number },
  number: number,
): number {
  if (today.cap === null || number < today.room) return 0;
  let cap = today.cap;
  let sent = today.room;
  for (let day = 1; day < MAX_DAYS; day++) {
    if (cap >= warmUp.target) return day;
    cap = Math.min(warmUp.target, Math.max(cap + 1, Math.floor(cap * warmUp.factor)));
    sent += cap;
    if (number < sent) return day;
  }
  return MAX_DAYS;
}
