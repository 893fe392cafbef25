/** The MTA-STS policies that we serve for domains (RFC 8461 section 3.2). src/mail/smtp reads those of others. */
import { sha256 } from '../../platform/crypto.ts';
import { DAY_MS } from '../../platform/durations.ts';

export interface ServedPolicy {
  mode: 'none' | 'testing' | 'enforce';
  /** The MX hosts of the domain. */
  hosts: string[];
}

/** While a policy is tested, senders must soon notice a change. */
export const MAX_AGE_DAYS = { none: 1, testing: 1, enforce: 30 };

const ID_LENGTH = 20;

export function renderPolicy({ mode, hosts }: ServedPolicy): string {
  const names = [...new Set(hosts.map((host) => host.toLowerCase().replace(/\.$/, '')))].toSorted();
  const lines = [
    'version: STSv1',
    `mode: ${mode}`,
    ...(mode === 'none' ? [] : names.map((name) => `mx: ${name}`)),
    `max_age: ${(MAX_AGE_DAYS[mode] * DAY_MS) / 1000}`,
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** Changes with the policy. RFC 8461 section 3.1 allows up to 32 letters and digits. */
export function policyIdOf(policy: ServedPolicy): string {
  return sha256(renderPolicy(policy)).toString('hex').slice(0, ID_LENGTH);
}
