/** The DKIM keys of a domain whose records must be published. */
import type { DomainPublicKeys } from '../../../mail/auth/dns-records.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { DAY_MS } from '../../../platform/durations.ts';

export const KEY_COLUMNS = [
  'dkim_selector',
  'public_key',
  'next_selector',
  'next_public_key',
  'retired_selector',
  'retired_public_key',
  'retired_at',
] as const;

/** Servers retry for up to five days, and then verify the signature. DNS caches need two more days. */
const RETIRED_DAYS = 7;

export function publicKeysOf(row: Row<'domains', (typeof KEY_COLUMNS)[number]>): DomainPublicKeys {
  const isStillNeeded = row.retired_at && Date.now() - row.retired_at.getTime() < RETIRED_DAYS * DAY_MS;
  return {
    current: { selector: row.dkim_selector, publicKey: row.public_key },
    next: row.next_selector ? { selector: row.next_selector, publicKey: row.next_public_key! } : null,
    retired: isStillNeeded ? { selector: row.retired_selector!, publicKey: row.retired_public_key! } : null,
  };
}
