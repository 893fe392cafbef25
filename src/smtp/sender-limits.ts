/**
 * How much one place in the network (place.ts) may do here, and how much one mailbox may get from others, in a minute:
 * by default far above what honest servers need, so that one that runs wild does not take the place of the others.
 * This machine itself has no limit.
 */
import type { SMTPServerSession } from 'smtp-server';
import type { InboundLimits } from '../platform/facts.ts';
import { isThisMachine } from '../platform/near-address.ts';
import { placeOf } from '../platform/place.ts';

const MINUTE_MS = 60_000;

export const TOO_MANY_CONNECTIONS = 'Too many connections from your address';

export interface SenderLimits {
  connect(session: SMTPServerSession): boolean;
  disconnect(session: SMTPServerSession): void;
  /** Counts a message from a place, or one for a mailbox. */
  allowMessage(ip: string, mailboxId?: string): boolean;
}

export function createSenderLimits(most: InboundLimits, now: () => number = Date.now): SenderLimits {
  const connections = new Map<string, Set<string>>();
  let counts = new Map<string, number>();
  let countingSince = now();

  return {
    connect({ remoteAddress, id }) {
      if (isThisMachine(remoteAddress)) return true;
      const place = placeOf(remoteAddress);
      const open = connections.get(place) ?? new Set();
      if (open.size >= most.connectionsPerIp) return false;
      connections.set(place, open.add(id));
      return true;
    },
    disconnect({ remoteAddress, id }) {
      const place = placeOf(remoteAddress);
      const open = connections.get(place);
      open?.delete(id);
      if (open?.size === 0) connections.delete(place);
    },
    allowMessage(ip, mailboxId) {
      if (isThisMachine(ip)) return true;
      if (now() - countingSince > MINUTE_MS) {
        counts = new Map();
        countingSince = now();
      }
      const name = mailboxId ?? placeOf(ip);
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count <= (mailboxId === undefined ? most.messagesPerIp : most.messagesPerMailbox);
    },
  };
}
