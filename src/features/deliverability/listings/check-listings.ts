/**
 * The job that asks the lists of DNSBL_ZONES about the addresses of this server and the verified domains of all teams, so
 * that notices and metrics tell of a listing before someone looks. It runs every six hours.
 */
import { sql } from 'kysely';
import { askBlocklist, type BlocklistAnswer, type BlocklistZone } from '../../../mail/auth/blocklists.ts';
import { parseDomainName } from '../../../mail/auth/dns-records.ts';
import { toJson, type Db } from '../../../platform/database/database.ts';
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

interface Answered extends Subject {
  zone: string;
  kind: BlocklistAnswer['kind'];
}

type Ask = (zone: BlocklistZone, subject: string) => Promise<BlocklistAnswer['kind']>;

const DOMAINS_PER_PAGE = 1_000;
const AT_ONCE = 10;
/** A list that does not answer for some days may have dropped the subject. */
const KEPT_DAYS = 3;

export async function checkListings(db: Db, facts: ListingFacts): Promise<void> {
  const { blocklistZones: zones } = facts;
  const ask = createAsker(facts);
  const ofAddresses = zones.filter(({ lists }) => lists === 'addresses');
  const ofDomains = zones.filter(({ lists }) => lists === 'domains');
  if (ofAddresses.length > 0) await check(db, ask, ofAddresses, await listAddresses(facts));
  if (ofDomains.length > 0) for await (const page of listDomains(db)) await check(db, ask, ofDomains, page);
  await sql`
    delete from blocklistings
    where seen_at < now() - make_interval(days => ${KEPT_DAYS}::integer) or zone <> all(${zones.map(({ zone }) => zone)}::text[])
  `.execute(db);
}

/** Several domains may have one registrable name, which is asked about once in a round. */
function createAsker({ dns }: ListingFacts): Ask {
  const asked = new Map<string, ReturnType<Ask>>();
  return (zone, subject) => {
    const key = `${zone.zone} ${subject}`;
    const known = asked.get(key);
    if (known) return known;
    const asking = askBlocklist(dns, zone, subject).then(
      ({ kind }) => kind,
      () => 'unusable' as const,
    );
    asked.set(key, asking);
    return asking;
  };
}

async function listAddresses(facts: ListingFacts): Promise<Subject[]> {
  if (facts.mailTransport === 'sandbox') return [];
  const egresses = await findEgresses(facts.dns, facts);
  const addresses = new Set(egresses.flatMap((egress) => egress.addresses ?? []));
  return [...addresses].map((subject) => ({ subject, teamId: 0, domainId: 0 }));
}

async function* listDomains(db: Db): AsyncGenerator<Subject[]> {
  for (let last = 0; ;) {
    const { rows } = await sql<CamelRow<'domains', 'team_id' | 'id' | 'name'>>`
      select team_id as "teamId", id, name from domains where held and ${notClosed} and id > ${last}::integer
      order by id limit ${DOMAINS_PER_PAGE}
    `.execute(db);
    if (rows.length === 0) return;
    last = rows.at(-1)!.id;
    yield rows.map(({ teamId, id, name }) => ({
      subject: parseDomainName(name)?.registrable ?? name,
      teamId,
      domainId: id,
    }));
  }
}

async function check(db: Db, ask: Ask, zones: BlocklistZone[], subjects: Subject[]): Promise<void> {
  const questions = zones.flatMap((zone) => subjects.map((subject) => ({ zone, subject })));
  const answers: Answered[] = [];
  for (let at = 0; at < questions.length; at += AT_ONCE)
    answers.push(
      ...(await Promise.all(
        questions.slice(at, at + AT_ONCE).map(async ({ zone, subject }) => ({
          ...subject,
          zone: zone.zone,
          kind: await ask(zone, subject.subject),
        })),
      )),
    );
  await storeAnswers(db, answers);
}

/** A list that did not answer changes nothing. */
async function storeAnswers(db: Db, answers: Answered[]): Promise<void> {
  const found = (kind: Answered['kind']) => sql`
    select * from json_to_recordset(${toJson(answers.filter((answer) => answer.kind === kind))}::json)
      as a (zone text, subject text, "teamId" integer, "domainId" integer)`;
  await sql`
    insert into blocklistings (zone, subject, team_id, domain_id) ${found('listed')}
    on conflict (zone, subject, team_id, domain_id) do update set seen_at = now()
  `.execute(db);
  await sql`
    delete from blocklistings b using (${found('clear')}) a
    where b.zone = a.zone and b.subject = a.subject and b.team_id = a."teamId" and b.domain_id = a."domainId"
  `.execute(db);
}
