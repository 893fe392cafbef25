/** Postmark's types of bounces that occur here. */
interface BounceType {
  Type: string;
  TypeCode: number;
  Name: string;
}

export const HARD: BounceType = { Type: 'HardBounce', TypeCode: 1, Name: 'Hard bounce' };
export const SOFT: BounceType = { Type: 'SoftBounce', TypeCode: 4096, Name: 'Soft bounce' };
export const SPAM: BounceType = { Type: 'SpamComplaint', TypeCode: 100_001, Name: 'Spam complaint' };
const DELAYED: BounceType = { Type: 'Transient', TypeCode: 2, Name: 'Message delayed' };
const SUPPRESSED: BounceType = {
  Type: 'ManuallyDeactivated',
  TypeCode: 100_002,
  Name: 'Manually deactivated',
};
const FAILED: BounceType = { Type: 'SMTPApiError', TypeCode: 100_007, Name: 'SMTP API error' };

/** Null for events that are not bounces. */
export function bounceTypeOf(
  eventType: string,
  { bounceType }: { bounceType?: unknown },
): typeof HARD | null {
  switch (eventType) {
    case 'email.bounced':
      return bounceType === 'soft' ? SOFT : HARD;
    case 'email.complained':
      return SPAM;
    case 'email.delivery_delayed':
      return DELAYED;
    case 'email.suppressed':
      return SUPPRESSED;
    case 'email.failed':
      return FAILED;
    default:
      return null;
  }
}
