/** The rules of a mailbox. */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import { inTransaction, toJson, type Db } from '../../../platform/database/database.ts';
import { badRequest, notFound } from '../../../platform/errors.ts';
import { decodeId, encodeId, newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { withoutUndefined } from '../../../platform/without-undefined.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { refuseTooMany } from '../mailboxes/limit-per-mailbox.ts';
import { checkTargets } from './check-targets.ts';
import { askForwardTargets, listPendingTargets, type ForwardTools } from './forward-targets.ts';
import {
  MAX_RULES,
  type Rule,
  type RuleAction,
  type RuleCondition,
  type RuleInput,
  type RuleUpdate,
} from './rules.schema.ts';

export interface RuleRow extends Omit<
  Row<
    'mailbox_rules',
    | 'id'
    | 'mailbox_id'
    | 'name'
    | 'enabled'
    | 'position'
    | 'match'
    | 'stop'
    | 'disabled_reason'
    | 'created_at'
    | 'updated_at'
  >,
  never
> {
  conditions: RuleCondition[];
  actions: RuleAction[];
}

type ShownRow = RuleRow & {
  last_run: { at: string; message_id: string | null; error: string | null } | null;
};

const COLUMNS = sql`r.id, r.mailbox_id, r.name, r.enabled, r.position, r.match, r.conditions, r.actions, r.stop,
  r.disabled_reason, r.created_at, r.updated_at`;
const LAST_RUN = sql`(
  select json_build_object('at', rfc3339(l.created_at), 'message_id', l.message_id, 'error', l.error)
  from rule_log l where l.team_id = r.team_id and l.rule_id = r.id order by l.created_at desc limit 1
) as last_run`;
const LIMIT = {
  table: 'mailbox_rules',
  most: MAX_RULES,
  message: `A mailbox can have at most ${MAX_RULES} rules.`,
} as const;

/** Lists the rules in the order in which they act. */
export async function listRules(db: Db, caller: Caller, mailboxId: string): Promise<Rule[]> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  return readRules(db, caller.teamId, mailbox.id);
}

async function readRules(
  db: Db,
  teamId: number,
  mailboxId: string,
  ruleId: string | null = null,
): Promise<Rule[]> {
  const { rows } = await sql<ShownRow>`
    select ${COLUMNS}, ${LAST_RUN} from mailbox_rules r
    where r.team_id = ${teamId} and r.mailbox_id = ${mailboxId}
      and (${ruleId}::uuid is null or r.id = ${ruleId}::uuid)
    order by r.position, r.id limit ${MAX_RULES}
  `.execute(db);
  const pending = await listPendingTargets(db, teamId, mailboxId);
  return rows.map((row) => present(row, pending));
}

export async function getRule(db: Db, caller: Caller, mailboxId: string, ruleId: string): Promise<Rule> {
  const mailbox = await requireMailbox(db, caller, mailboxId);
  return readRule(db, caller.teamId, mailbox.id, ruleId);
}

async function readRule(db: Db, teamId: number, mailboxId: string, ruleId: string): Promise<Rule> {
  const key = decodeId('rul', ruleId);
  const [rule] = key ? await readRules(db, teamId, mailboxId, key) : [];
  if (!rule) throw notFound('Rule');
  return rule;
}

/** Also returns the UUID of the rule's mailbox. */
export async function requireRule(
  db: Db,
  caller: Caller,
  { mailboxId, ruleId }: { mailboxId: string; ruleId: string },
  need: 'read' | 'manage' = 'read',
): Promise<RuleRow> {
  const mailbox = await requireMailbox(db, caller, mailboxId, need);
  const row = await findRule(db, caller.teamId, decodeId('rul', ruleId), mailbox.id);
  if (!row) throw notFound('Rule');
  return row;
}

/** `id` is a UUID. */
export async function findRule(
  db: Db,
  teamId: number,
  id: string | null,
  mailboxId: string | null = null,
): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    select ${COLUMNS} from mailbox_rules r
    where r.team_id = ${teamId} and r.id = ${id} and (${mailboxId}::uuid is null or r.mailbox_id = ${mailboxId}::uuid)
  `.execute(db);
  return rows[0];
}

export async function createRule(
  db: Db,
  caller: Caller,
  mailboxId: string,
  input: RuleInput,
  tools: ForwardTools,
): Promise<Rule> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'manage');
    const ref = { teamId: caller.teamId, id: mailbox.id };
    await refuseTooMany(trx, ref, LIMIT);
    const { conditions, actions } = await checkTargets(trx, caller, mailbox, input);
    const { rows } = await sql<{ last: number }>`
      select coalesce(max(position), 0) as last from mailbox_rules
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id}
    `.execute(trx);
    const position = Math.min(input.position ?? rows[0]!.last + 1, rows[0]!.last + 1);
    await sql`
      update mailbox_rules set position = position + 1
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and position >= ${position}
    `.execute(trx);
    const id = newUuid();
    await sql`
      insert into mailbox_rules (team_id, mailbox_id, id, position, name, enabled, match, conditions, actions, stop,
        created_by)
      values (${caller.teamId}, ${mailbox.id}, ${id}, ${position}, ${input.name}, ${input.enabled}, ${input.match},
        ${toJson(conditions)}::jsonb, ${toJson(actions)}::jsonb, ${input.stop}, ${caller.by})
    `.execute(trx);
    await askForwardTargets(trx, tools, caller, mailbox, actions);
    return readRule(trx, caller.teamId, mailbox.id, encodeId('rul', id));
  });
}

/** A rule that someone switches on or off loses the reason why it was switched off by itself. */
export async function updateRule(
  db: Db,
  caller: Caller,
  { mailboxId, ruleId }: { mailboxId: string; ruleId: string },
  update: RuleUpdate,
  tools: ForwardTools,
): Promise<Rule> {
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'manage');
    await refuseTooMany(trx, { teamId: caller.teamId, id: mailbox.id }, { ...LIMIT, most: Infinity });
    const before = await findRule(trx, caller.teamId, decodeId('rul', ruleId), mailbox.id);
    if (!before) throw notFound('Rule');
    const next = { ...before, ...withoutUndefined(update) };
    const { conditions, actions } =
      update.conditions || update.actions || update.enabled
        ? await checkTargets(trx, caller, mailbox, next)
        : next;
    const isDecided = update.enabled !== undefined;
    if (update.position !== undefined) await moveRule(trx, caller.teamId, before, update.position);
    await sql`
      update mailbox_rules set name = ${next.name}, enabled = ${next.enabled}, match = ${next.match},
        conditions = ${toJson(conditions)}::jsonb, actions = ${toJson(actions)}::jsonb, stop = ${next.stop},
        disabled_reason = case when ${isDecided} then null else disabled_reason end,
        disabled_at = case when ${isDecided} then null else disabled_at end, updated_at = now()
      where team_id = ${caller.teamId} and id = ${before.id}
    `.execute(trx);
    if (update.actions) await askForwardTargets(trx, tools, caller, mailbox, actions);
    return readRule(trx, caller.teamId, mailbox.id, ruleId);
  });
}

/** Moves the rules between the old and the new position by one. */
async function moveRule(
  trx: Db,
  teamId: number,
  { id, mailbox_id, position }: RuleRow,
  to: number,
): Promise<void> {
  const own = sql`team_id = ${teamId} and mailbox_id = ${mailbox_id}`;
  const { rows } = await sql<{ count: number }>`select count(*) from mailbox_rules where ${own}`.execute(trx);
  const next = Math.min(to, rows[0]!.count);
  await sql`
    update mailbox_rules set position = case
      when id = ${id} then ${next}::integer
      when position > ${position} and position <= ${next} then position - 1
      when position < ${position} and position >= ${next} then position + 1
      else position end
    where ${own}
  `.execute(trx);
}

export async function deleteRule(db: Db, caller: Caller, mailboxId: string, ruleId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'manage');
    await refuseTooMany(trx, { teamId: caller.teamId, id: mailbox.id }, { ...LIMIT, most: Infinity });
    const { rows } = await sql<Row<'mailbox_rules', 'position'>>`
      delete from mailbox_rules
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${decodeId('rul', ruleId)}
      returning position
    `.execute(trx);
    if (!rows[0]) throw notFound('Rule');
    await sql`
      update mailbox_rules set position = position - 1
      where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and position > ${rows[0].position}
    `.execute(trx);
  });
}

/** Replaces all rules. */
export async function replaceRules(
  db: Db,
  caller: Caller,
  mailboxId: string,
  inputs: RuleInput[],
  tools: ForwardTools,
): Promise<number> {
  if (inputs.length > MAX_RULES) throw badRequest(LIMIT.message);
  return inTransaction(db, async (trx) => {
    const mailbox = await requireMailbox(trx, caller, mailboxId, 'manage');
    await refuseTooMany(trx, { teamId: caller.teamId, id: mailbox.id }, { ...LIMIT, most: Infinity });
    await sql`
      delete from mailbox_rules where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id}
    `.execute(trx);
    for (const input of inputs) await createRule(trx, caller, mailboxId, input, tools);
    return inputs.length;
  });
}

function present(row: ShownRow, pending: ReadonlySet<string>): Rule {
  const { last_run: last } = row;
  return {
    id: encodeId('rul', row.id),
    name: row.name,
    enabled: row.enabled,
    position: row.position,
    match: row.match,
    conditions: row.conditions,
    actions: row.actions.map((action) =>
      action.type === 'forward'
        ? { ...action, pending: pending.has(parseAddress(action.to)?.key ?? '') }
        : action,
    ),
    stop: row.stop,
    disabled_reason: row.disabled_reason,
    last_run: last && { ...last, message_id: last.message_id && encodeId('msg', last.message_id) },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
