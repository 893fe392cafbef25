/** Who did something, as the API shows it. */
import { z } from 'zod';

export const actorShape = z
  .object({
    user_id: z.string().nullable().describe('Null for an API key, a rule or an automation'),
    name: z.string().nullable(),
  })
  .meta({ id: 'MailboxActor' });

export type MailboxActor = z.infer<typeof actorShape>;

const USER = 'user:';

/** `by` is that of a caller; `name` is the name at that time. */
export function presentActor(by: string, name: string | null): MailboxActor {
  return { user_id: by.startsWith(USER) ? by.slice(USER.length) : null, name };
}
