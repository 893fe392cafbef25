import type { EmailStatus } from '../../../src/features/sending/emails/emails.schema.ts';
import type { Tone } from '../../ui/badge.tsx';

const TONES: Record<EmailStatus, Tone> = {
  SCHEDULED: 'info',
  QUEUED: 'info',
  SENT: 'info',
  DELIVERED: 'good',
  DELIVERY_DELAYED: 'warn',
  BOUNCED: 'bad',
  REJECTED: 'bad',
  RENDERING_FAILURE: 'bad',
  COMPLAINED: 'bad',
  OPENED: 'good',
  CLICKED: 'good',
  SUPPRESSED: 'warn',
  CANCELLED: 'neutral',
  FAILED: 'bad',
};

export const EMAIL_STATUSES = Object.keys(TONES) as EmailStatus[];

export function toneOf(status: EmailStatus): Tone {
  return TONES[status];
}
