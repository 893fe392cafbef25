import type { Db } from '../../../platform/database/database.ts';
import { findTraced } from './find-traced.ts';
import { traceEmail, type EmailStory } from './trace-email.ts';
import { traceMessage, type MessageStory } from './trace-message.ts';

export type Story = EmailStory | MessageStory;

/** Returns the newest first, and null for text that is no address and no ID. */
export async function trace(db: Db, text: string): Promise<Story[] | null> {
  const found = await findTraced(db, text);
  if (found === null) return null;
  const stories: Story[] = [];
  for (const { kind, teamId, id } of found) {
    const story = await (kind === 'email' ? traceEmail : traceMessage)(db, teamId, id);
    if (story) stories.push(story);
  }
  return stories;
}
