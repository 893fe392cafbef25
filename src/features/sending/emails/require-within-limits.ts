/** Checks an email of the API against the limits that the operator has set. */
import { invalidField } from '../../../platform/errors.ts';
import type { MailLimits } from '../../instance/facts.ts';
import { sizeOf, type EmailInput } from './emails.schema.ts';

const MIB = 1024 * 1024;

export type EmailLimits = Pick<MailLimits, 'recipients' | 'messageBytes'>;

export function requireWithinLimits({ recipients, messageBytes }: EmailLimits, email: EmailInput): void {
  const count = email.to.length + (email.cc?.length ?? 0) + (email.bcc?.length ?? 0);
  if (count > recipients)
    throw invalidField('to', `must have at most ${recipients} addresses together with cc and bcc`);
  if (sizeOf(email) > messageBytes)
    throw invalidField(
      'attachments',
      `must not make the email larger than ${messageBytes / MIB} MiB in total`,
    );
}
