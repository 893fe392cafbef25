import type { z } from 'zod';
import type { emailSubmitted } from './emails.schema.ts';
import type { SubmitOutcome } from './submit.ts';

export function presentOutcome(outcome: SubmitOutcome): z.infer<typeof emailSubmitted> {
  const { emailId } = outcome;
  if (outcome.status === 'accepted') return { emailId };
  const { status, policy } = outcome;
  return status === 'blocked'
    ? { emailId, status, policy }
    : { emailId, status, approvalId: outcome.approvalId, policy };
}
