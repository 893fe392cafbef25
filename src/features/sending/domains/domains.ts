/** Sending domains. A domain is found through its team, and a domain-bound key only has access to its own domain. */
import { sql } from 'kysely';
import { keepToDomain } from '../../api/bound-keys.ts';
import { inTransaction, type Db } from '../../../platform/database/database.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Caller } from '../../api/caller.ts';
import { makeDomainKey } from './domain-keys.ts';
import type { Domain, DomainInput, DomainUpdate } from './domains.schema.ts';
import { checkHostsLater, hostChanges, linkHostOf, requireUsableHost } from './domain-hosts.ts';
import { poolChanges, requireKnownPools } from './domain-pools.ts';
import { findDomainId } from './find-domain.ts';
import { DOMAIN_COLUMNS, presentDomain } from './present-domain.ts';
import { isTrustedName, verifyTrustedName } from './sandbox-domains.ts';
import { verifyDomainLater } from './verify-domain.ts';

const DEFAULT_REGION = 'default';

export async function createDomain(
  db: Db,
  teamId: number,
  facts: Pick<Facts, 'secret' | 'dkimPrimes' | 'mailHost' | 'reportHost' | 'mailPorts' | 'baseUrl'>,
  input: DomainInput,
): Promise<Domain> {
  const taken = conflict(`Your team already has the domain ${input.name.name}.`);
  // Creating a key takes most of a second, so check first. The unique index covers concurrent requests.
  if ((await findDomainId(db, teamId, input.name.name)) !== undefined) throw taken;
  const key = await makeDomainKey(facts);
  try {
    const row = await db
      .insertInto('domains')
      .values({
        team_id: teamId,
        name: input.name.name,
        region: input.region ?? DEFAULT_REGION,
        public_key: key.publicKey,
        private_key: key.encryptedPrivateKey,
      })
      .returning(DOMAIN_COLUMNS)
      .executeTakeFirstOrThrow();
    return presentDomain(row, facts);
  } catch (error) {
    throw isUniqueViolation(error, 'domains_team_id_name_key') ? taken : error;
  }
}

const PRESENTED_AT_ONCE = 100;
/** About the length of a domain with its records. */
const RECORDS_LENGTH = 2_000;

/** Returns all domains that the caller may see, newest first. */
export async function listDomains(db: Db, caller: Caller, facts: Facts): Promise<Domain[]> {
  const rows = await db
    .selectFrom('domains')
    .select(DOMAIN_COLUMNS)
    .where('team_id', '=', caller.teamId)
    .$if(caller.domainIds !== null, (query) => query.where('id', 'in', [...caller.domainIds!, 0]))
    .orderBy('id', 'desc')
    .execute();
  const domains: Domain[] = [];
  for (let at = 0; at < rows.length; at += PRESENTED_AT_ONCE) {
    const some = rows.slice(at, at + PRESENTED_AT_ONCE);
    domains.push(
      ...(await runYielding(rows.length * RECORDS_LENGTH, () =>
        some.map((row) => presentDomain(row, facts)),
      )),
    );
  }
  return domains;
}

export async function getDomain(db: Db, caller: Caller, facts: Facts, id: number): Promise<Domain> {
  keepToDomain(caller, id);
  const row = await db
    .selectFrom('domains')
    .select(DOMAIN_COLUMNS)
    .where('team_id', '=', caller.teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  return presentDomain(row, facts);
}

export async function updateDomain(
  db: Db,
  caller: Caller,
  facts: Facts,
  id: number,
  update: DomainUpdate,
): Promise<Domain> {
  keepToDomain(caller, id);
  requireKnownPools(update, facts);
  return inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('domains')
      .set((eb) => ({
        click_tracking: update.clickTracking ?? eb.ref('click_tracking'),
        open_tracking: update.openTracking ?? eb.ref('open_tracking'),
        ...hostChanges(update),
        ...poolChanges(update),
        updated_at: sql`now()`,
      }))
      .where('team_id', '=', caller.teamId)
      .where('id', '=', id)
      .returning(DOMAIN_COLUMNS)
      .executeTakeFirst();
    if (!row) throw notFound('Domain');
    const host = linkHostOf(row);
    if (update.trackingSubdomain && host) requireUsableHost(host, facts);
    if (update.trackingSubdomain || update.mtaSts) await checkHostsLater(trx, caller.teamId, id);
    return presentDomain(row, facts);
  });
}

/** Also deletes the API keys that are bound to the domain. */
export async function deleteDomain(db: Db, caller: Caller, id: number): Promise<void> {
  keepToDomain(caller, id);
  const row = await db
    .deleteFrom('domains')
    .where('team_id', '=', caller.teamId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
}

export async function startVerification(db: Db, caller: Caller, facts: Facts, id: number): Promise<void> {
  keepToDomain(caller, id);
  await inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('domains')
      .set({
        status: 'PENDING',
        is_verifying: true,
        // A verified domain that lost its records does not get additional time by verifying again.
        checking_since: sql`case when held then coalesce(checking_since, now()) else now() end`,
        checks: 0,
        // A link host that was given up is looked at as often as a new one again.
        tracking_since: sql`case when tracking_status = 'ACTIVE' then tracking_since else now() end`,
        tracking_checks: 0,
        updated_at: sql`now()`,
      })
      .where('team_id', '=', caller.teamId)
      .where('id', '=', id)
      .returning(['name', 'held', 'hosts_check_at'])
      .executeTakeFirst();
    if (!row) throw notFound('Domain');
    if (row.held && row.hosts_check_at) await checkHostsLater(trx, caller.teamId, id);
    if (isTrustedName(row.name, facts)) await verifyTrustedName(trx, caller.teamId, id, row.name);
    else await verifyDomainLater(trx, caller.teamId, id);
  });
}
