/** The values of the form of a key, and the requests that they stand for. */
import type { ApiKey } from '../../../src/features/identity/api-keys/api-keys.schema.ts';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { DAY_MS } from '../../ui/dates/date-text.ts';
import { toLines } from '../policies/policy-form.ts';
import type { Scope } from './scope-groups.ts';

export const EXPIRY_DAYS = { never: null, days30: 30, days90: 90, year: 365 } as const;
export type Expiry = keyof typeof EXPIRY_DAYS;

export interface KeyValues {
  name: string;
  kind: string;
  rights: string;
  scopes: Scope[];
  mailboxIds: string[];
  domainIds: string[];
  contactBookIds: string[];
  policyId: string;
  /** `keep` leaves it as it is. */
  expiresAt: string;
  allowedIps: string;
}

const NEW: KeyValues = {
  name: '',
  kind: 'application',
  rights: 'sending',
  scopes: [],
  mailboxIds: [],
  domainIds: [],
  contactBookIds: [],
  policyId: '',
  expiresAt: 'never',
  allowedIps: '',
};

export function toKeyValues(key: ApiKey | null): KeyValues {
  if (key === null) return NEW;
  return {
    name: key.name,
    kind: key.kind,
    rights: key.permission ?? 'scoped',
    scopes: key.scopes ?? [],
    mailboxIds: key.mailboxIds ?? [],
    domainIds: (key.domainIds ?? []).map(String),
    contactBookIds: key.contactBookIds ?? [],
    policyId: key.policyId ?? '',
    expiresAt: key.expiresAt === null ? 'never' : 'keep',
    allowedIps: (key.allowedIps ?? []).join('\n'),
  };
}

export function toKeyInput(values: KeyValues) {
  const { name, kind, rights, scopes, mailboxIds } = values;
  return {
    name,
    kind,
    ...(rights === 'scoped' ? { scopes } : { permission: rights }),
    // A key that only sends has no use for mailboxes.
    mailboxIds: rights === 'sending' ? null : orNull(mailboxIds),
    ...boundsOf(values),
    expiresAt: timeOf(values, null),
  };
}

export function toKeyUpdate(values: KeyValues, key: ApiKey) {
  return {
    name: values.name,
    ...(key.scopes === null ? {} : { scopes: values.scopes }),
    ...(key.permission === 'sending' ? {} : { mailboxIds: orNull(values.mailboxIds) }),
    ...boundsOf(values),
    ...(values.expiresAt === 'keep' ? {} : { expiresAt: timeOf(values, null) }),
  };
}

function boundsOf({ domainIds, contactBookIds, policyId, allowedIps }: KeyValues) {
  return {
    domainIds: orNull(domainIds.map(Number)),
    contactBookIds: orNull(contactBookIds),
    policyId: policyId === '' ? null : policyId,
    allowedIps: orNull(toLines(allowedIps)),
  };
}

function orNull<Item>(list: Item[]): Item[] | null {
  return list.length === 0 ? null : list;
}

/** When the key of the form ends. `kept` is when it ends now. */
export function timeOf({ expiresAt }: KeyValues, kept: string | null): string | null {
  if (expiresAt === 'keep') return kept;
  const days = EXPIRY_DAYS[expiresAt as Expiry];
  return days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
}

export function namesOf(
  ids: readonly string[],
  things: readonly (Pick<Domain, 'name'> & { id: string | number })[],
): string[] {
  return things.flatMap(({ id, name }) => (ids.includes(String(id)) ? name : []));
}
