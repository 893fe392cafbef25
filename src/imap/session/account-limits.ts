/**
 * Limits the connections of one client network before login (as SMTP does), of one mailbox after it, and of the whole
 * process. Connections from this machine have no limit per network.
 */
import { networkOf } from '../../platform/network/client-network.ts';
import { isThisMachine } from '../../platform/network/local-address.ts';
import { createOpenCounts } from '../../platform/telemetry/open-counts.ts';

const MAX_CONNECTIONS = 5_000;
const MAX_PER_MAILBOX = 100;

export interface AccountLimits {
  /** Counts a new connection. Null if it must be refused; otherwise a function that uncounts it. */
  connect(ip: string): (() => void) | null;
  /** The same for a login. It no longer counts for its network. */
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
