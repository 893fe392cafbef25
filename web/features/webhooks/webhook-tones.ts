import type { Call } from '../../../src/features/webhooks/calls.schema.ts';
import type { Webhook } from '../../../src/features/webhooks/webhooks.schema.ts';
import type { Tone } from '../../ui/badge.tsx';

export const WEBHOOK_TONES: Record<Webhook['status'], Tone> = {
  active: 'good',
  paused: 'warn',
  disabled: 'bad',
};

export const CALL_TONES: Record<Call['status'], Tone> = {
  waiting: 'info',
  succeeded: 'good',
  failed: 'bad',
};
