/**
 * Limits the connections per client network before login (as SMTP does), per mailbox after login, and of the whole
 * process. Connections from this machine have no limit per network.
 */
import { networkOf } from '../../platform/network/client-network.ts';
import { isThisMachine } from '../../platform/network/local-address.ts';
import { createOpenCounts } from '../../platform/telemetry/open-counts.ts';

const MAX_CONNECTIONS = 5_000;
const MAX_PER_MAILBOX = 100;

export interface AccountLimits {
  /** Counts a new connection. Returns null if it must be rejected, otherwise a function that decreases the count. */
  connect(ip: string): (() => void) | null;
  /** Does the same for a login. The connection no longer counts for its network. */
  logIn(mailboxId: string): (() => void) | null;
}

export function createAccountLimits(perNetwork: number): AccountLimits {
  const { count } = createOpenCounts();
  return {
    connect(ip) {
      const uncountAll = count('all', MAX_CONNECTIONS);
      if (!uncountAll) return null;
      if (isThisMachine(ip)) return uncountAll;
      const uncountNetwork = count(`network ${networkOf(ip)}`, perNetwork);
      if (!uncountNetwork) {
        uncountAll();
        return null;
      }
      return () => {
        uncountAll();
        uncountNetwork();
      };
    },
    logIn: (mailboxId) => count(`mailbox ${mailboxId}`, MAX_PER_MAILBOX),
  };
}
