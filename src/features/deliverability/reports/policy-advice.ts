/**
 * Decides when a stricter DMARC policy is safe: after 14 days in which at least 99 % of the mail of confirmed sources
 * passed, and at least 100 messages were seen. The function is pure.
 */
import { DAY_MS } from '../../../platform/durations.ts';
import { count } from './describe-source.ts';
import type { DmarcReports } from './reports.schema.ts';

/** The mail of confirmed sources on one day. */
export interface ConfirmedDay {
  date: string;
  messages: number;
  aligned: number;
}

export interface PolicyInput {
  policy: DmarcReports['policy'];
  /** Oldest first, without days that have no report. */
  days: ConfirmedDay[];
  now: Date;
}

type Advice = Pick<DmarcReports, 'next' | 'advice'>;

const DAYS = 14;
const SHARE = 0.99;
const MESSAGES = 100;
const STRICTER = { none: 'quarantine', quarantine: 'reject' } as const;

const wait = (advice: string): Advice => ({ next: null, advice });

export function advisePolicy({ policy, days, now }: PolicyInput): Advice {
  if (policy === null)
    return wait(
      'No report has arrived yet. Publish the DMARC record of this domain; reports come once a day.',
    );
  if (policy === 'reject')
    return wait(
      'The policy is reject, which is the strictest. Mail of strangers is refused. Nothing is left to do.',
    );
  const latest = new Date(now.getTime() - DAYS * DAY_MS).toISOString().slice(0, 10);
  const first = days[0];
  if (!first || first.date > latest)
    return wait(
      `Wait until reports of ${DAYS} days have arrived${first ? `. The first is of ${first.date}` : ''}.`,
    );
  const recent = sum(days.filter(({ date }) => date >= latest));
  const isGoodNow = recent.aligned >= recent.messages * SHARE;
  // Much good mail of earlier weeks must not hide what fails now.
  const start = isGoodNow ? findStart(days, latest) : null;
  if (start) {
    const { messages, aligned } = start;
    return {
      next: {
        policy: STRICTER[policy],
        since: new Date(start.date).toISOString(),
        because: `Since ${start.date}, ${percent(aligned, messages)} of ${count(messages, 'message')} from your confirmed sources passed, so the policy ${STRICTER[policy]} will not stop your own mail.`,
      },
      advice: `Change p=${policy} to p=${STRICTER[policy]} in the DMARC record.`,
    };
  }
  if (isGoodNow && recent.messages < MESSAGES)
    return wait(
      `Reports show only ${count(recent.messages, 'message')} in the last ${DAYS} days. With ${MESSAGES} there is enough to advise a policy.`,
    );
  return wait(
    `${percent(recent.aligned, recent.messages)} of the mail of your confirmed sources passed in the last ${DAYS} days. From 99% a stricter policy is safe. Look at the sources whose mail fails.`,
  );
}

/** The earliest day from which until now the mail was good enough, at least 14 days ago. */
function findStart(days: ConfirmedDay[], latest: string): ConfirmedDay | null {
  let messages = 0;
  let aligned = 0;
  let found: ConfirmedDay | null = null;
  for (const day of days.toReversed()) {
    messages += day.messages;
    aligned += day.aligned;
    const isGood = messages >= MESSAGES && aligned >= messages * SHARE;
    if (day.date <= latest && isGood) found = { date: day.date, messages, aligned };
  }
  return found;
}

function sum(days: ConfirmedDay[]) {
  return days.reduce(
    (all, { messages, aligned }) => ({
      messages: all.messages + messages,
      aligned: all.aligned + aligned,
    }),
    { messages: 0, aligned: 0 },
  );
}

function percent(part: number, whole: number): string {
  // Rounded down: 99.96 % is not all.
  return `${Math.floor((part / Math.max(whole, 1)) * 1000) / 10}%`;
}
