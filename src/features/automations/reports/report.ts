/** The report of an automation, from counters and from the emails of its runs. */
import { sql } from 'kysely';
import type { Row } from '../../../platform/database/rows.ts';
import type { Db } from '../../../platform/database/database.ts';
import { findAutomation } from '../automations.ts';
import type { AutomationReport } from './runs.schema.ts';

type CountRow = Row<'automation_counts', 'step' | 'name'> & { count: number };

type EmailCounts = NonNullable<AutomationReport['steps'][number]['email']>;

export async function getReport(db: Db, teamId: number, automationId: string): Promise<AutomationReport> {
  const { id, definition } = await findAutomation(db, teamId, automationId);
  const { rows } = await sql<CountRow>`
    select step, name, sum(count)::bigint as count from automation_counts
    where team_id = ${teamId} and automation_id = ${id} group by step, name
  `.execute(db);
  const counts = new Map(rows.map(({ step, name, count }) => [`${step} ${name}`, count]));
  const count = (step: string, name: string) => counts.get(`${step} ${name}`) ?? 0;
  const { rows: waiting } = await sql<{ step: NonNullable<Row<'automation_runs'>['step']>; count: number }>`
    select step, count(*) from automation_runs
    where team_id = ${teamId} and automation_id = ${id} and status = 'ACTIVE' and step is not null group by step
  `.execute(db);
  const waits = new Map(waiting.map((row) => [row.step, row.count]));
  const emails = await countEmails(db, teamId, id);
  return {
    runs: {
      started: count('', 'started'),
      active: waiting.reduce((sum, row) => sum + row.count, 0),
      done: count('', 'done'),
      exited: count('', 'exited'),
      // A run that was retried is under way again.
      failed: count('', 'failed') - count('', 'retried'),
      cancelled: count('', 'cancelled'),
    },
    exits: named(rows, '', 'exit:'),
    steps: definition.steps.map((step) => ({
      key: step.key,
      type: step.type,
      entered: count(step.key, 'entered'),
      waiting: waits.get(step.key) ?? 0,
      done: count(step.key, 'done'),
      skipped: count(step.key, 'skipped'),
      failed: count(step.key, 'failed'),
      ways: named(rows, step.key, 'way:'),
      email: step.type === 'email' ? (emails.get(step.key) ?? NO_EMAILS) : null,
    })),
  };
}

const NO_EMAILS: EmailCounts = {
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  replied: 0,
  unsubscribed: 0,
  bounced: 0,
};

function named(rows: CountRow[], step: string, prefix: string) {
  return Object.fromEntries(
    rows
      .filter((row) => row.step === step && row.name.startsWith(prefix))
      .map(({ name, count }) => [name.slice(prefix.length), count]),
  );
}

async function countEmails(db: Db, teamId: number, id: string): Promise<Map<string, EmailCounts>> {
  const { rows } = await sql<EmailCounts & Row<'automation_emails', 'step'>>`
    select s.step, count(*) as sent,
      count(*) filter (where e.status in ('DELIVERED', 'OPENED', 'CLICKED', 'COMPLAINED')) as delivered,
      count(e.opened_at) as opened, count(e.clicked_at) as clicked, count(s.replied_at) as replied,
      count(s.unsubscribed_at) as unsubscribed, count(*) filter (where e.status = 'BOUNCED') as bounced
    from automation_emails s left join emails e on e.team_id = s.team_id and e.id = s.email_id
    where s.team_id = ${teamId} and s.automation_id = ${id} group by s.step
  `.execute(db);
  return new Map(rows.map(({ step, ...counts }) => [step, counts]));
}
