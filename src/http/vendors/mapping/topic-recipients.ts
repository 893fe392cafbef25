/** Emails about a topic. Recipients that have left the topic do not get them. */
import type { EmailInput } from '../../../features/sending/emails/emails.schema.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';

/** The topic is a field of the email, so an unknown one makes the email invalid. */
export async function requireTopic(field: string, topicId: Promise<string>): Promise<string> {
  try {
    return await topicId;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND')
      throw invalidField(field, 'must be a topic of your team');
    throw error;
  }
}

/** Returns null if nobody is left in `to`. The keys are normalised addresses. */
export function withoutLeft(email: EmailInput, leftKeys: Set<string>): EmailInput | null {
  const stays = ({ key }: { key: string }) => !leftKeys.has(key);
  const to = email.to.filter(stays);
  if (to.length === 0) return null;
  return { ...email, to, cc: email.cc?.filter(stays), bcc: email.bcc?.filter(stays) };
}
