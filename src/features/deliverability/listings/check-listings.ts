/**
 * The job that asks the lists of DNSBL_ZONES about the addresses of this server and the verified domains of all teams, so
 * that notices and metrics tell of a listing before someone looks. It runs every six hours.
 */
import { sql } from 'kysely';
import { askBlocklist, type BlocklistZone } from '../../../mail/auth/blocklists.ts';
import { parseDomainName } from '../../../mail/auth/dns-records.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { notClosed } from '../../instance/closed-teams.ts';
import { findEgresses } from '../health/egresses.ts';

type ListingFacts = Pick<
  Facts,
  'dns' | 'blocklistZones' | 'egresses' | 'mailHost' | 'mailTransport' | 'directAllowPrivate'
>;

interface Subject {
  subject: string;
  teamId: number;
  domainId: number;
}

const DOMAINS_PER_ROUND = 2_000;
const AT_ONCE = 10;
/** A list that does not answer for some days may have dropped the subject. */
const KEPT_DAYS = 3;

export async function checkListings(db: Db, facts: ListingFacts): Promise<void> {
  const { blocklistZones: zones } = facts;
  const asked = zones.length === 0 ? [] : await collect(db, facts);
  const questions = zones.flatMap((zone) =>
    (zone.lists === 'addresses' ? asked.filter(isAddress) : asked.filter((one) => !isAddress(one))).map(
      (subject) => ({ zone, subject }),
    ),
  );
  for (let at = 0; at < questions.length; at += AT_ONCE)
    await Promise.all(
      questions.slice(at, at + AT_ONCE).map(({ zone, subject }) => ask(db, facts, zone, subject)),
    );
  await sql`
    delete from blocklistings
    where seen_at < now() - make_interval(days => ${KEPT_DAYS}::integer) or zone <> all(${zones.map(({ zone }) => zone)}::text[])
  `.execute(db);
}

const isAddress = ({ domainId }: Subject) => domainId === 0;

async function collect(db: Db, facts: ListingFacts): Promise<Subject[]> {
  const egresses = await findEgresses(facts.dns, facts);
  const addresses = [...new Set(egresses.flatMap((egress) => egress.addresses ?? []))];
  const { rows } = await sql<CamelRow<'domains', 'team_id' | 'id' | 'name'>>`
    select team_id as "teamId", id, name from domains where held and ${notClosed}
    order by id limit ${DOMAINS_PER_ROUND}
  `.execute(db);
  return [
    ...(facts.mailTransport === 'sandbox' ? [] : addresses).map((subject) => ({
      subject,
      teamId: 0,
      domainId: 0,
    })),
    ...rows.map(({ teamId, id, name }) => ({
      subject: parseDomainName(name)?.registrable ?? name,
      teamId,
      domainId: id,
    })),
  ];
}

async function ask(
  db: Db,
  { dns }: ListingFacts,
  zone: BlocklistZone,
  { subject, teamId, domainId }: Subject,
): Promise<void> {
  const { kind } = await askBlocklist(dns, zone, subject).catch(() => ({ kind: 'unusable' as const }));
  if (kind === 'listed')
    await sql`
      insert into blocklistings (zone, subject, team_id, domain_id)
      values (${zone.zone}, ${subject}, ${teamId}::integer, ${domainId}::integer)
      on conflict (zone, subject, team_id, domain_id) do update set seen_at = now()
    `.execute(db);
  if (kind === 'clear')
    await sql`
      delete from blocklistings where zone = ${zone.zone} and subject = ${subject}
        and team_id = ${teamId}::integer and domain_id = ${domainId}::integer
    `.execute(db);
}
