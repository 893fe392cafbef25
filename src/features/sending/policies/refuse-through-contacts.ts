/**
 * Who adds or changes a contact can cause email that no policy looks at: a contact book asks new contacts to confirm,
 * and automations write to contacts. So a key with a send policy may do that only where nothing is sent, or if its
 * policies let everything go.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { CalledRoute } from '../../api/route.ts';
import { findPolicies } from './policies.ts';
import type { SendPolicy } from './policies.schema.ts';
import { hasReadOutsiders } from './policy-facts.ts';

type Cause = { kind: 'book' | 'automation'; name: Row<'contact_books'>['name'] };

/** `params` are those of the route. Those of other vendors' APIs do not name the contact book. */
export async function refuseMailThroughContacts(
  db: Db,
  caller: Pick<Caller, 'teamId' | 'by' | 'policyIds'>,
  { scope, method }: Pick<CalledRoute, 'scope' | 'method'>,
  params: unknown,
): Promise<void> {
  if (scope !== 'contacts.write' || method === 'GET' || method === 'DELETE') return;
  const bookId = (params as { contactBookId?: unknown } | undefined)?.contactBookId;
  const cause = await findCause(db, caller.teamId, typeof bookId === 'string' ? bookId : null);
  if (!cause) return;
  const policies = await findPolicies(db, caller.teamId, caller.policyIds);
  const areOpen = policies.length === caller.policyIds.length && policies.every(letsEverythingGo);
  if (areOpen && policies.every(({ taint }) => taint === 'off')) return;
  if (areOpen && !(await hasReadOutsiders(db, caller))) return;
  const why =
    cause.kind === 'book'
      ? `The contact book "${cause.name}" asks new contacts by email to confirm`
      : `The automation "${cause.name}" writes to contacts`;
  throw new AppError(
    'FORBIDDEN',
    `${why}, and the send policy of this API key cannot decide about these emails. Ask a person to do this.`,
    { reason: 'blocked-by-policy' },
  );
}

async function findCause(db: Db, teamId: number, bookId: string | null): Promise<Cause | null> {
  const isOf = (book: string) =>
    sql`(${bookId === null}::boolean or ${sql.ref(book)} = ${decodeId('cbk', bookId ?? '')}::uuid)`;
  const { rows } = await sql<Cause>`
    (select 'book' as kind, name from contact_books
      where team_id = ${teamId} and double_opt_in_enabled and ${isOf('id')} limit 1)
    union all
    (select 'automation', name from automations
      where team_id = ${teamId} and status = 'ACTIVE' and deleted_at is null and ${isOf('contact_book_id')} limit 1)
    limit 1
  `.execute(db);
  return rows[0] ?? null;
}

function letsEverythingGo(policy: SendPolicy): boolean {
  const { mode, recipients, maxPerHour, maxPerDay, maxNewRecipientsPerDay } = policy;
  const limits = [maxPerHour, maxPerDay, maxNewRecipientsPerDay];
  const lists = [recipients.allow, recipients.deny, recipients.contactBookIds];
  return (
    mode === 'free' && limits.every((limit) => limit === null) && lists.every(({ length }) => length === 0)
  );
}
