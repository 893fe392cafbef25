import type { DsnRequest } from '../../../mail/smtp/envelope.ts';
import type { SmtpReply } from '../../../mail/smtp/reply.ts';
import type { Pools } from '../../sending/egress/choose-egress.ts';
import type { AttemptResult } from './attempt.ts';

/** One message to one recipient, ready to send. */
export interface WireMessage {
  teamId: number;
  emailId: string;
  recipientNo: number;
  recipient: string;
  recipientDomain: string;
  /** The number of earlier attempts. */
  attempts: number;
  isOfCampaign: boolean;
  /** Which ways out the mail of the domain uses. */
  pools: Pools;
  /** The sending domain's region, which may have its own relay. */
  region: string;
  mailFrom: string;
  /** The DKIM signature (if any), then the stored message. */
  chunks: Buffer[];
  smtpUtf8: boolean;
  /** 'required' and 'optional' as in RFC 8689: REQUIRETLS, and the header "TLS-Required: No". */
  tls: 'usual' | 'required' | 'optional';
  /** What the sender asked to be notified about, for the next server. */
  dsn: DsnRequest | null;
  /** Urgent messages overtake others and may use the connections that are reserved for them. */
  isUrgent: boolean;
}

/**
 * A way to send mail. `attempt` never throws for failures of the network or the remote server, and callers may
 * start many attempts at a time. The transport limits the connections and decides when to try a failed server
 * again.
 */
export interface Transport {
  /**
   * Recipient domains that should wait, or 'all', because their servers are full or backing off. A domain is
   * unavailable to urgent mail less often than to other mail.
   */
  unavailableTo(mail: { isUrgent: boolean }): 'all' | string[];
  /** Recipient domains to which other processes have all connections. Claimed mail for them returns to the queue. */
  takenElsewhere?(mail: { isUrgent: boolean }): string[];
  /**
   * Returns false when the destination is over its rate, and the message must not be sent. Called once for each
   * attempt, before the message is signed.
   */
  reserve?(recipientDomain: string): Promise<boolean>;
  /** Returns null when the message was no longer wanted once it could be sent. In that case nothing was sent. */
  attempt(message: WireMessage, isWanted: () => boolean): Promise<AttemptResult | null>;
  close(): Promise<void>;
}

/** A reply for a message that was delivered without SMTP. */
export function acceptedAs(text: string): SmtpReply {
  return { code: 250, enhanced: '2.0.0', text };
}
