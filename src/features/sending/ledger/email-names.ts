/**
 * The ID and the Message-ID of an email of a campaign. Both follow from the campaign and the address, so that an email
 * that is sent again after a crash is the same message. The ID begins with the time at which its batch was taken. The
 * SQL function campaign_message_id makes the same Message-ID.
 */
import { hash } from 'node:crypto';

export interface EmailNames {
  emailId: string;
  messageId: string;
}

/** The bits that make a UUID one of RFC 9562, for the last two bits of a digit. */
const VARIANT = '89ab';

/** The last digit is 0, because the IDs of the derived events differ from that of the email in it. */
export function nameEmail(
  campaignId: string,
  addressKey: string,
  { releasedAt, domain }: { releasedAt: Date; domain: string },
): EmailNames {
  const digest = hash('sha256', `${campaignId} ${addressKey}`, 'hex');
  const time = releasedAt.getTime().toString(16).padStart(12, '0');
  const variant = VARIANT[parseInt(digest[3]!, 16) & 3]!;
  const emailId = `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 18)}0`;
  const messageId = `<${campaignId.replaceAll('-', '')}.${digest.slice(32, 48)}@${domain}>`;
  return { emailId, messageId };
}

const MESSAGE_ID = /^<([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.[0-9a-f]{16}@/;

/** Returns the campaign that the Message-ID of one of its emails names, or null. */
export function campaignOfMessageId(messageId: string): string | null {
  return MESSAGE_ID.exec(messageId)?.slice(1).join('-') ?? null;
}
