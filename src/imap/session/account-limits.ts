/**
 * Limits the connections per client network before login (as SMTP does), per mailbox and team after login, and of the
 * whole process. One team gets half of them, so that it cannot keep the email apps of all others out. Connections from
 * this machine have no limit per network.
 */
import { networkOf } from '../../platform/network/client-network.ts';
import { isThisMachine } from '../../platform/network/local-address.ts';
import { createOpenCounts } from '../../platform/telemetry/open-counts.ts';

const MAX_CONNECTIONS = 5_000;
const MAX_PER_TEAM = MAX_CONNECTIONS / 2;
const MAX_PER_MAILBOX = 100;

export interface AccountLimits {
  /** Counts a new connection. Returns null if it must be rejected, otherwise a function that decreases the count. */
  connect(ip: string): (() => void) | null;
  /** Does the same for a login. The connection no longer counts for its network. */
  logIn(login: { teamId: number; mailboxId: string }): (() => void) | null;
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
    logIn({ teamId, mailboxId }) {
      const uncountTeam = count(`team ${teamId}`, MAX_PER_TEAM);
      const uncountMailbox = uncountTeam && count(`mailbox ${mailboxId}`, MAX_PER_MAILBOX);
      if (!uncountMailbox) {
        uncountTeam?.();
        return null;
      }
      return () => {
        uncountTeam();
        uncountMailbox();
      };
    },
  };
}
