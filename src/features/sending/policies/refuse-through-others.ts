/**
 * A key with a send policy can cause email that no policy looks at, because others send it: who adds a contact makes
 * contact books ask for confirmation, and automations, campaigns and feeds write to contacts; who changes a template, a
 * scheduled campaign or a saved reply changes what others send. The key may do that only where nothing is sent, or if
 * its policies let everything go.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import type { CalledRoute } from '../../api/route.ts';
import { findTemplateId } from '../../content/templates/templates.ts';
import { findPolicies } from './policies.ts';
import type { SendPolicy } from './policies.schema.ts';
import { hasReadOutsiders } from './policy-facts.ts';
import { UUID } from './note-reads.ts';

type Changing = Pick<Caller, 'teamId' | 'by' | 'policyIds'>;
type Route = Pick<CalledRoute, 'scope' | 'method'>;
type Params = Record<string, unknown>;

/** `params` are those of the route. Those of other vendors' APIs have other names, and do not name the contact book. */
export async function refuseMailThroughOthers(
  db: Db,
  caller: Changing,
  route: Route,
  params: unknown,
): Promise<void> {
  if (route.method === 'GET') return;
  const why = await findCause(db, caller, route, (params ?? {}) as Params);
  if (why === null) return;
  const policies = await findPolicies(db, caller.teamId, caller.policyIds);
  const areOpen = policies.length === caller.policyIds.length && policies.every(letsEverythingGo);
  if (areOpen && policies.every(({ taint }) => taint === 'off')) return;
  if (areOpen && !(await hasReadOutsiders(db, caller))) return;
  throw new AppError(
    'FORBIDDEN',
    `${why}, and the send policy of this API key cannot decide about these emails. Ask a person to do this.`,
    { reason: 'blocked-by-policy' },
  );
}

/** The beginning of a sentence that says who sends email because of the change. */
async function findCause(
  db: Db,
  caller: Changing,
  { scope, method }: Route,
  params: Params,
): Promise<string | null> {
  if (scope === 'contacts.write' && method !== 'DELETE') return findSenderToContacts(db, caller, params);
  if (scope === 'templates.write') return findForeignTemplate(db, caller, params);
  if (scope === 'campaigns.write' && method !== 'DELETE') return findLiveCampaign(db, caller, params);
  if (scope === 'mail.draft') return findAnsweringRule(db, caller, params);
  return null;
}

async function findSenderToContacts(
  db: Db,
  { teamId, policyIds }: Changing,
  { contactBookId }: Params,
): Promise<string | null> {
  const bookId = typeof contactBookId === 'string' ? contactBookId : null;
  const book = decodeId('cbk', bookId ?? '');
  const isOf = (column: string) => sql`(${bookId === null}::boolean or ${sql.ref(column)} = ${book}::uuid)`;
  return findWhy(
    db,
    sql`
    (select 'The contact book "' || name || '" asks new contacts by email to confirm' as why from contact_books
      where team_id = ${teamId} and double_opt_in_enabled and ${isOf('id')} limit 1)
    union all
    (select 'The automation "' || name || '" writes to contacts' from automations
      where team_id = ${teamId} and status = 'ACTIVE' and deleted_at is null and ${isOf('contact_book_id')} limit 1)
    union all
    (select 'The campaign "' || name || '" goes to contacts' from campaigns
      where team_id = ${teamId} and status in ('SCHEDULED', 'RUNNING', 'PAUSED') and deleted_at is null
        and (${bookId === null}::boolean or ${book}::uuid = any(contact_book_ids)) limit 1)
    union all
    (select 'The feed "' || coalesce(title, url) || '" writes to contacts' from feeds
      where team_id = ${teamId} and status = 'ACTIVE' and not review and ${isOf('contact_book_id')} limit 1)
    union all
    -- Who is in such a book may get mail of the key.
    (select 'The send policy "' || name || '" permits the contacts of a contact book' from send_policies
      where team_id = ${teamId} and id = any(${policyIds}::uuid[])
        and jsonb_array_length(recipients -> 'contactBookIds') > 0
        and (${bookId === null}::boolean or recipients -> 'contactBookIds' ? ${bookId ?? ''}) limit 1)
    limit 1`,
  );
}

/** Applications name templates when they send, so each template counts that the key has not made alone. */
async function findForeignTemplate(
  db: Db,
  { teamId, by }: Changing,
  { templateId, id, template }: Params,
): Promise<string | null> {
  const reference = templateId ?? template ?? id;
  if (typeof reference !== 'string') return null;
  const found = decodeId('tpl', reference)
    ? reference
    : await findTemplateId(db, teamId, reference).catch(() => null);
  const uuid = decodeId('tpl', found ?? '') ?? uuidOf(reference);
  if (uuid === null) return null;
  return findWhy(
    db,
    sql`
    select 'Others may send the template "' || t.name || '"' as why from templates t
    where t.team_id = ${teamId} and t.id = ${uuid}::uuid and (
      t.content_saved_by is distinct from ${by}
      or exists (select from content_versions v
        where v.team_id = t.team_id and v.template_id = t.id and v.saved_by is distinct from ${by})
      or exists (select from feeds f where f.team_id = t.team_id and f.template_id = t.id and f.status = 'ACTIVE')
      or exists (select from automations a
        where a.team_id = t.team_id and a.status in ('ACTIVE', 'PAUSED') and a.deleted_at is null and exists (
          select from automation_versions d where d.team_id = a.team_id and d.automation_id = a.id
            and position(${found ?? reference} in d.definition::text) > 0)))`,
  );
}

async function findLiveCampaign(db: Db, { teamId }: Changing, params: Params): Promise<string | null> {
  const ids = Object.values(params).flatMap((value) => decodeId('cmp', String(value)) ?? uuidOf(value) ?? []);
  if (ids.length === 0) return null;
  return findWhy(
    db,
    sql`
    select 'The campaign "' || name || '" is scheduled or has begun' as why from campaigns
    where team_id = ${teamId} and id = any(${ids}::uuid[]) and status in ('SCHEDULED', 'RUNNING', 'PAUSED') limit 1`,
  );
}

async function findAnsweringRule(db: Db, { teamId }: Changing, { replyId }: Params): Promise<string | null> {
  if (typeof replyId !== 'string') return null;
  const action = JSON.stringify([{ type: 'reply', saved_reply_id: replyId }]);
  return findWhy(
    db,
    sql`
    select 'The rule "' || name || '" answers with this saved reply' as why from mailbox_rules
    where team_id = ${teamId} and actions @> ${action}::jsonb limit 1`,
  );
}

async function findWhy(db: Db, query: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await (query as RawBuilder<{ why: string }>).execute(db);
  return rows[0]?.why ?? null;
}

/** Other vendors' APIs show IDs without a prefix. */
function uuidOf(value: unknown): string | null {
  return typeof value === 'string' && UUID.test(value) ? value : null;
}

function letsEverythingGo(policy: SendPolicy): boolean {
  const { mode, recipients, maxPerHour, maxPerDay, maxNewRecipientsPerDay } = policy;
  const limits = [maxPerHour, maxPerDay, maxNewRecipientsPerDay];
  const lists = [recipients.allow, recipients.deny, recipients.contactBookIds];
  return (
    mode === 'free' && limits.every((limit) => limit === null) && lists.every(({ length }) => length === 0)
  );
}
