/** Presents a domain for the API and for webhooks. */
import {
  parseDomainName,
  recordsOf,
  serviceRecordsOf,
  type RecordRole,
} from '../../../mail/auth/dns-records.ts';
import { presentPools } from '../egress/choose-egress.ts';
import type { Facts } from '../../instance/facts.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { BRAKE_COLUMNS, presentBrake } from './domain-brake.ts';
import type { Domain, DomainStatus } from './domains.schema.ts';
import { domainHostsOf, HOST_COLUMNS, presentTracking } from './domain-hosts.ts';
import { KEY_COLUMNS, publicKeysOf } from './public-keys.ts';

export const DOMAIN_COLUMNS = [
  'id',
  'team_id',
  'name',
  'status',
  ...KEY_COLUMNS,
  'created_at',
  'updated_at',
  'region',
  'click_tracking',
  'open_tracking',
  ...HOST_COLUMNS,
  ...BRAKE_COLUMNS,
  'pools',
  'record_status',
  'is_verifying',
  'error_message',
  'verification_error',
  'last_checked_at',
] as const;

type DomainRow = Row<'domains', (typeof DOMAIN_COLUMNS)[number]>;

/** The fields of a domain that webhooks get when its status changes. */
export function presentDomainState(
  row: Pick<DomainRow, 'id' | 'name' | 'status' | 'error_message' | 'verification_error'>,
) {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    errorMessage: row.error_message,
    verificationError: row.verification_error,
  };
}

export function presentDomain(
  row: DomainRow,
  facts: Pick<Facts, 'mailHost' | 'reportHost' | 'mailPorts' | 'baseUrl'>,
): Domain {
  const { mailHost } = facts;
  const name = parseDomainName(row.name)!;
  const keys = publicKeysOf(row);
  const statuses = row.record_status as Partial<Record<RecordRole, DomainStatus>>;
  const statusOf = (role: RecordRole): DomainStatus =>
    statuses[role] ?? (row.is_verifying ? 'PENDING' : 'NOT_STARTED');
  return {
    ...presentDomainState(row),
    teamId: row.team_id,
    publicKey: row.public_key,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    dnsRecords: recordsOf(name, keys, mailHost, domainHostsOf(row, facts)).map((record) => ({
      type: record.type,
      name: record.name,
      value: record.value,
      ttl: 'Auto',
      priority: record.priority,
      status: statusOf(record.role),
      recommended: record.recommended,
    })),
    serviceRecords: serviceRecordsOf(name, facts),
    region: row.region,
    clickTracking: row.click_tracking,
    openTracking: row.open_tracking,
    tracking: presentTracking(row),
    mtaSts: row.mta_sts,
    mtaStsAuto: row.mta_sts_auto,
    brake: presentBrake(row),
    pools: presentPools(row.pools),
    dkimStatus: statusOf('dkim'),
    dkimSelector: keys.current.selector,
    nextDkimSelector: keys.next?.selector ?? null,
    retiredDkimSelector: keys.retired?.selector ?? null,
    spfDetails: worst(statusOf('bounceMx'), statusOf('spf')),
    dmarcAdded: statuses.dmarc === 'SUCCESS',
    isVerifying: row.is_verifying,
    subdomain: name.subdomain,
    lastCheckedTime: row.last_checked_at?.toISOString() ?? null,
  };
}

const WORST_FIRST: DomainStatus[] = ['FAILED', 'TEMPORARY_FAILURE', 'PENDING', 'NOT_STARTED', 'SUCCESS'];

function worst(...statuses: DomainStatus[]): DomainStatus {
  return WORST_FIRST.find((status) => statuses.includes(status))!;
}
