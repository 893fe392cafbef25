/**
 * The topic of an email. Recipients that have left the topic are left out. If nobody is left, the email is still
 * accepted, because the caller must get an ID, and is SUPPRESSED.
 */
import { findLeft } from '../../../../features/audience/topics/topic-addresses.ts';
import { getTopic } from '../../../../features/audience/topics/topics.ts';
import type { EmailInput } from '../../../../features/sending/emails/emails.schema.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { requireTopic, withoutLeft } from '../../mapping/topic-recipients.ts';

export interface EmailOfTopic {
  email: EmailInput;
  isWithheld?: true;
}

export async function keepToTopic(
  db: Db,
  teamId: number,
  email: EmailInput,
  topicId: string,
): Promise<EmailOfTopic> {
  const found = getTopic(db, teamId, topicId).then(({ id }) => id);
  const recipients = [...email.to, ...(email.cc ?? []), ...(email.bcc ?? [])];
  const left = await findLeft(
    db,
    teamId,
    await requireTopic('topic_id', found),
    recipients.map(({ key }) => key),
  );
  const kept = withoutLeft(email, left);
  return kept ? { email: kept } : { email, isWithheld: true };
}
