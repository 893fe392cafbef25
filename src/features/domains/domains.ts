/** Sending domains. A domain is found through its team; a key bound to one domain reaches that one alone. */
import { sql } from 'kysely';
import { parseDomainName, recordsOf, type RecordRole } from '../../mail/dns-records.ts';
import { keepToDomain } from '../../platform/bound-keys.ts';
import { databaseNow, inTransaction, type Db } from '../../platform/database.ts';
import { isUniqueViolation } from '../../platform/database-errors.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import type { Facts } from '../../platform/facts.ts';
import type { Caller } from '../../platform/route.ts';
import type { Row } from '../../platform/rows.ts';
import { makeDomainKey } from './domain-keys.ts';
import type { Domain, DomainInput, DomainStatus, DomainUpdate } from './domains.schema.ts';
import { findDomainId } from './find-domain.ts';
import type { Verdict } from './verification.ts';
import { recordVerdict, verifyDomainLater } from './verify-domain.ts';

const COLUMNS = [
  'id',
  'team_id',
  'name',
  'status',
  'public_key',
  'created_at',
  'updated_at',
  'region',
  'click_tracking',
  'open_tracking',
  'record_status',
  'is_verifying',
  'error_message',
  'verification_error',
  'last_checked_at',
] as const;

type DomainRow = Row<'domains', (typeof COLUMNS)[number]>;

const DEFAULT_REGION = 'default';

export async function createDomain(
  db: Db,
  teamId: number,
  facts: Facts,
  input: DomainInput,
): Promise<Domain> {
  const taken = conflict(`Your team has the domain ${input.name.name} already.`);
  // A key costs most of a second of work: none is made for nothing. Against a twin at the same moment stands the index.
  if ((await findDomainId(db, teamId, input.name.name)) !== undefined) throw taken;
  const key = await makeDomainKey(facts.secret);
  try {
    const row = await db
      .insertInto('domains')
      .values({
        team_id: teamId,
        name: input.name.name,
        region: input.region ?? DEFAULT_REGION,
        public_key: key.publicKey,
        private_key: key.sealedPrivateKey,
      })
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return present(row, facts.mailHost);
  } catch (error) {
    throw isUniqueViolation(error, 'domains_team_id_name_key') ? taken : error;
  }
}

/** All domains that the caller may see, newest first. */
export async function listDomains(db: Db, caller: Caller, facts: Facts): Promise<Domain[]> {
  const rows = await db
    .selectFrom('domains')
    .select(COLUMNS)
    .where('team_id', '=', caller.teamId)
    .$if(caller.domainId !== null, (query) => query.where('id', '=', caller.domainId!))
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => present(row, facts.mailHost));
}

export async function getDomain(db: Db, caller: Caller, facts: Facts, id: number): Promise<Domain> {
  keepToDomain(caller, id);
  const row = await db
    .selectFrom('domains')
    .select(COLUMNS)
    .where('team_id', '=', caller.teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  return present(row, facts.mailHost);
}

export async function updateDomain(
  db: Db,
  caller: Caller,
  facts: Facts,
  id: number,
  update: DomainUpdate,
): Promise<Domain> {
  keepToDomain(caller, id);
  const row = await db
    .updateTable('domains')
    .set((eb) => ({
      click_tracking: update.clickTracking ?? eb.ref('click_tracking'),
      open_tracking: update.openTracking ?? eb.ref('open_tracking'),
      updated_at: sql`now()`,
    }))
    .where('team_id', '=', caller.teamId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  return present(row, facts.mailHost);
}

/** Its keys go with it. */
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
        // Who holds the name and lost its records gets no more time for them by asking again.
        checking_since: sql`case when held then coalesce(checking_since, now()) else now() end`,
        checks: 0,
        updated_at: sql`now()`,
      })
      .where('team_id', '=', caller.teamId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst();
    if (!row) throw notFound('Domain');
    if (facts.mailTransport === 'sandbox' && row.name.endsWith('.test'))
      await trustSandboxName(trx, caller.teamId, id, row.name);
    else await verifyDomainLater(trx, caller.teamId, id);
  });
}

/** A name under .test exists in no public DNS, so its mail cannot leave the machine: all is well with it. */
async function trustSandboxName(db: Db, teamId: number, id: number, name: string): Promise<void> {
  const now = await databaseNow(db);
  const verdict: Verdict = {
    status: 'SUCCESS',
    recordStatus: {
      dkim: 'SUCCESS',
      bounceMx: 'SUCCESS',
      spf: 'SUCCESS',
      dmarc: 'SUCCESS',
      inboundMx: 'SUCCESS',
    },
    verificationError: null,
    nextCheckAt: null,
  };
  await recordVerdict(db, { teamId, id, name, since: now }, verdict, now);
}

function present(row: DomainRow, mailHost: string): Domain {
  const name = parseDomainName(row.name)!;
  const statuses = row.record_status as Partial<Record<RecordRole, DomainStatus>>;
  const statusOf = (role: RecordRole): DomainStatus =>
    statuses[role] ?? (row.is_verifying ? 'PENDING' : 'NOT_STARTED');
  return {
    id: row.id,
    name: row.name,
    teamId: row.team_id,
    status: row.status,
    publicKey: row.public_key,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    dnsRecords: recordsOf(name, row.public_key, mailHost).map((record) => ({
      type: record.type,
      name: record.name,
      value: record.value,
      ttl: 'Auto',
      priority: record.priority,
      status: statusOf(record.role),
      recommended: record.recommended,
    })),
    region: row.region,
    clickTracking: row.click_tracking,
    openTracking: row.open_tracking,
    dkimStatus: statusOf('dkim'),
    spfDetails: worst(statusOf('bounceMx'), statusOf('spf')),
    dmarcAdded: statuses.dmarc === 'SUCCESS',
    isVerifying: row.is_verifying,
    errorMessage: row.error_message,
    subdomain: name.subdomain,
    verificationError: row.verification_error,
    lastCheckedTime: row.last_checked_at?.toISOString() ?? null,
  };
}

const FROM_BAD_TO_GOOD: DomainStatus[] = ['FAILED', 'TEMPORARY_FAILURE', 'PENDING', 'NOT_STARTED', 'SUCCESS'];

function worst(...statuses: DomainStatus[]): DomainStatus {
  return FROM_BAD_TO_GOOD.find((status) => statuses.includes(status))!;
}
