/**
 * Limits the connections and messages per client network (client-network.ts) and the messages per mailbox. The
 * defaults are far above the needs of normal servers, so that one misbehaving server does not displace the others.
 * Connections from this machine have no limit.
 */
import type { SMTPServerSession } from 'smtp-server';
import type { InboundLimits } from '../features/instance/facts.ts';
import { isThisMachine } from '../platform/network/local-address.ts';
import { networkOf } from '../platform/network/client-network.ts';
import { MINUTE_MS } from '../platform/durations.ts';

export const TOO_MANY_CONNECTIONS = 'Too many connections from your IP address';

export interface SenderLimits {
  connect(session: SMTPServerSession): boolean;
  /** Does nothing for a session that is not counted. */
  disconnect(session: Pick<SMTPServerSession, 'id'>): void;
  /** Counts a message of a client network or, with `mailboxId`, of a mailbox. */
  allowMessage(ip: string, mailboxId?: string): boolean;
}

export function createSenderLimits(
  most: InboundLimits,
  now: () => number = () => performance.now(),
): SenderLimits {
  const connectionsOf = new Map<string, number>();
  /**
   * The network of each counted session, by session ID. It is stored because smtp-server sets the address of a session
   * later, so a connection that closes immediately has none.
   */
  const networkOfSession = new Map<string, string>();
  let counts = new Map<string, number>();
  let countingSince = now();

  return {
    connect({ remoteAddress, id }) {
      if (isThisMachine(remoteAddress)) return true;
      const network = networkOf(remoteAddress);
      const open = connectionsOf.get(network) ?? 0;
      if (open >= most.connectionsPerIp) return false;
      connectionsOf.set(network, open + 1);
      networkOfSession.set(id, network);
      return true;
    },
    disconnect({ id }) {
      const network = networkOfSession.get(id);
      if (network === undefined) return;
      networkOfSession.delete(id);
      const left = connectionsOf.get(network)! - 1;
      if (left === 0) connectionsOf.delete(network);
      else connectionsOf.set(network, left);
    },
    allowMessage(ip, mailboxId) {
      if (isThisMachine(ip)) return true;
      if (now() - countingSince > MINUTE_MS) {
        counts = new Map();
        countingSince = now();
      }
      const name = mailboxId ?? networkOf(ip);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count <= (mailboxId === undefined ? most.messagesPerIp : most.messagesPerMailbox);
    },
  };
}
