/**
 * What passkeys are bound to (Web Authentication Level 3, section 5.1.2): the host of BASE_URL is part of every
 * passkey, and the browser names the whole origin. So a passkey works at no other host, and no other site can use it.
 */
import { isIP } from 'node:net';
import { conflict } from '../../../platform/errors.ts';
import type { Facts } from '../../instance/facts.ts';

export type PasskeyFacts = Pick<Facts, 'secret' | 'baseUrl'>;

export interface RelyingParty {
  /** The host. */
  rpId: string;
  origin: string;
}

/** Null where browsers make no passkeys: at IP addresses, and without TLS anywhere but on this computer. */
export function findRelyingParty({ baseUrl }: Pick<PasskeyFacts, 'baseUrl'>): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isNumber = hostname.startsWith('[') || isIP(hostname) !== 0;
  return isNumber || (protocol !== 'https:' && !isLocal) ? null : { rpId: hostname, origin };
}

export function requireRelyingParty(facts: Pick<PasskeyFacts, 'baseUrl'>): RelyingParty {
  const party = findRelyingParty(facts);
  if (party) return party;
  throw conflict(
    'Passkeys do not work at the address of this server. They need https and a host name in BASE_URL.',
  );
}
