/** The ways out of the server. They are in the settings; their warm-ups are in the database. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { AppError, notFound } from '../../../platform/errors.ts';
import type { Egresses, EgressSetting } from '../../instance/facts.ts';
import type { WayOut, WarmUpInput } from './egress.schema.ts';
import { listSlowdowns, type Slowdown } from './slowdowns.ts';
import { findWarmUp, readLimit } from './warm-up-days.ts';
import type { WarmDay } from './warm-up.ts';

export async function listEgresses(db: Db, egresses: Egresses): Promise<WayOut[]> {
  const slowed = await listSlowdowns(db);
  const found: WayOut[] = [];
  for (const way of egresses.ways) found.push(await present(db, egresses, way, slowed));
  return found;
}

/** Starts the warm-up, or starts it anew. */
export async function startWarmUp(
  db: Db,
  teamId: number,
  egresses: Egresses,
  { name, target, start, factor }: WarmUpInput & { name: string },
): Promise<WayOut> {
  const way = egresses.ways.find((one) => one.name === name);
  if (!way) throw notFound('Egress');
  await requireFirstTeam(db, teamId);
  await sql`
    insert into egress_warmups (egress, target, start, factor_percent)
    values (${name}, ${target}, ${start}, ${Math.round(factor * 100)})
    on conflict (egress) do update set target = excluded.target, start = excluded.start, factor_percent = excluded.factor_percent,
      started_at = now()
  `.execute(db);
  await sql`delete from egress_days where egress = ${name}`.execute(db);
  return present(db, egresses, way, await listSlowdowns(db));
}

/** All teams share the addresses, so only the team of the operator changes them (decision 54). */
async function requireFirstTeam(db: Db, teamId: number): Promise<void> {
  const { rows } = await sql<{ id: Row<'teams'>['id'] | null }>`
    select min(id) as id from teams where closed_at is null
  `.execute(db);
  if (rows[0]?.id !== teamId)
    throw new AppError('FORBIDDEN', 'Only the first team of this server can change its egresses.');
}

async function present(db: Db, egresses: Egresses, way: EgressSetting, slowed: Slowdown[]): Promise<WayOut> {
  const { name } = way;
  return {
    name,
    kind: way.kind,
    address: way.kind === 'direct' ? way.localAddress : new URL(way.url).host,
    ehlo: way.kind === 'direct' ? way.localName : null,
    pools: Object.entries(egresses.pools).flatMap(([pool, members]) =>
      members.filter(({ egress }) => egress === name).map(({ weight }) => ({ name: pool, weight })),
    ),
    warmup: await presentWarmUp(db, egresses, name),
    slowed: slowed
      .filter(({ egress }) => egress === name)
      .map(({ provider, until, reason }) => ({ provider, until: until.toISOString(), because: reason })),
  };
}

const CURVE_DAYS = 60;

interface CurveRow extends Pick<WarmDay, 'date' | 'cap' | 'sent'>, Row<'egress_days', 'provider'> {}

async function presentWarmUp(db: Db, egresses: Egresses, name: string): Promise<WayOut['warmup']> {
  const warmUp = await findWarmUp(db, name);
  if (!warmUp) return null;
  const { rows } = await sql<CurveRow>`
    select provider, day::text as date, cap, sent from (
      select *, row_number() over (partition by provider order by day desc) as no from egress_days where egress = ${name}
    ) numbered where no <= ${CURVE_DAYS}::integer order by provider, day
  `.execute(db);
  // Before the first message, `other` shows what the first day allows.
  const names = [...new Set(rows.length === 0 ? ['other'] : rows.map(({ provider }) => provider))];
  const providers = [];
  for (const provider of names) {
    const { limit, sent, waiting } = await readLimit(db, egresses, { egress: name, provider }, warmUp);
    providers.push({
      provider,
      ...limit,
      sent,
      room: limit.cap === null ? null : Math.max(0, limit.cap - sent),
      waiting,
      curve: rows
        .filter((row) => row.provider === provider)
        .map(({ date, cap, sent: count }) => ({ day: date, cap, sent: count })),
    });
  }
  const { target, start, factor, startedAt } = warmUp;
  return { target, start, factor, startedAt: startedAt.toISOString(), providers };
}
