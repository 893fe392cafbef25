/** Whom publishing with `runs: move` moves, and how many emails of the moved runs leave in the next 24 hours. */
import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.ts';
import { DAY_MS } from '../../platform/durations.ts';
import { findAutomation, type AutomationRow } from './automations.ts';
import type { PublishImpact } from './definition/automations.schema.ts';
import { parseDuration } from './definition/duration.ts';
import { findStep } from './definition/graph.ts';
import { expectEmails } from './expected-emails.ts';
import { findTarget, readPositions, type Position } from './move-runs.ts';

export async function getPublishImpact(db: Db, teamId: number, automationId: string): Promise<PublishImpact> {
  const row = await findAutomation(db, teamId, automationId);
  const impact: PublishImpact = { people: 0, byStep: [], emailsNext24Hours: 0 };
  for (const position of await readPositions(db, row)) {
    const { step: key, waiting } = position;
    const to = await findTarget(db, row, position);
    impact.people += waiting;
    const known = impact.byStep.find((each) => each.key === key && each.to === to);
    if (known) known.waiting += waiting;
    else
      impact.byStep.push({
        key,
        waiting,
        becomes: to === key ? 'same' : to === null ? 'ended' : 'moved',
        to,
      });
    if (to !== null) impact.emailsNext24Hours += await countEmails(db, row, { position, to });
  }
  return impact;
}

/** Runs of the same minute are counted together, because there may be a million. */
async function countEmails(
  db: Db,
  { teamId, id, definition }: AutomationRow,
  { position, to }: { position: Position; to: string },
): Promise<number> {
  const step = findStep(definition, to)!;
  const staysInWait = to === position.step && (step.type === 'delay' || step.type === 'wait');
  const length = step.type === 'delay' ? step.for : step.type === 'wait' ? step.timeout : null;
  const waitMs = staysInWait && length ? parseDuration(length)! : 0;
  const { rows } = await sql<{ entered: Date; held: Date | null; now: Date; runs: number }>`
    select ${staysInWait ? sql`date_trunc('minute', entered_at)` : sql`now()`} as entered,
      date_trunc('minute', case when held_by is not null then due_at end) as held, now() as now, count(*) as runs
    from automation_runs
    where team_id = ${teamId} and automation_id = ${id} and status = 'ACTIVE' and version = ${position.version}
      and step = ${position.step} and entered_at < now() + ${DAY_MS - waitMs} * interval '1 millisecond'
    group by 1, 2
  `.execute(db);
  return rows.reduce((sum, { entered, held, now, runs }) => {
    const notBefore = held && held > now ? held : now;
    const until = new Date(now.getTime() + DAY_MS);
    return sum + runs * expectEmails(definition, { key: to, enteredAt: entered, notBefore }, until);
  }, 0);
}
