/** Analytics with ten years of data, compared with Posthorn on its first day. */
import { sql } from 'kysely';
import { doorOf } from './contact-world.ts';
import { getLoad } from './contact-loads.ts';
import { compare } from './measure.ts';
import { addDomain, startPosthorn, type Posthorn } from './posthorn.ts';
import { suite, type Row } from './suite.ts';

interface World {
  old: Posthorn;
  young: Posthorn;
}

const EMAILS = 1_000_000;
const DOMAINS = 100;
const DAYS = 3_650;
/** Ours may be at most 1.5 times slower. */
const WANTED = 1 / 1.5;

export const analyticsSuite = suite(openWorld, [
  row('GET email-time-series, ten years, 32 connections', '/analytics/email-time-series'),
  row('GET reputation-metrics, ten years, 32 connections', '/analytics/reputation-metrics'),
]);

function row(name: string, path: string): Row<World> {
  return {
    name,
    unit: 'requests/s',
    wanted: () => WANTED,
    measure: ({ old, young }) =>
      compare(getLoad(doorOf(old), `/api/v1${path}`), getLoad(doorOf(young), `/api/v1${path}`), {
        connections: 32,
      }),
  };
}

async function openWorld(): Promise<World> {
  const [old, young] = [await startPosthorn(), await startPosthorn()];
  await fill(old, EMAILS, DOMAINS, DAYS);
  await fill(young, 10, 1, 1);
  return { old, young };
}

async function fill(posthorn: Posthorn, emails: number, domains: number, days: number): Promise<void> {
  const { db } = posthorn.database;
  const { teamId } = await addDomain(posthorn);
  await sql`
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, first_tried_at)
    select ${teamId}, gen_random_uuid(), 1 + n % ${domains}::integer, 'api', 'DELIVERED', 'a@bench.test', '{b@example.org}',
      '{}', '{}', '{}', 'Bench', '<' || n || '@bench.test>', now()
    from generate_series(1, ${emails}::integer) n
  `.execute(db);
  await sql`
    insert into daily_counts
    select ${teamId}, coalesce(domain, 0), current_date - day, 0, 10 * n, 9 * n, 5 * n, 2 * n, n, n, 0
    from (
      select domain, day, count(*) as n
      from generate_series(1, ${domains}::integer) domain, generate_series(0, ${days}::integer - 1) day
      group by grouping sets ((day, domain), (day))
    ) sent
  `.execute(db);
  await sql`
    insert into total_counts
    select team_id, domain_id, 0, sum(sent), sum(delivered), sum(opened), sum(clicked), sum(bounced), sum(hard_bounced),
      sum(complained)
    from daily_counts group by team_id, domain_id
  `.execute(db);
  await sql`analyze`.execute(db);
}
