/** What is wrong with an automation, and what someone should know before it is activated. */
import { sql } from 'kysely';
import { parseMailbox } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest, describeIssue } from '../../../platform/errors.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { minutesOf, MINUTES_OF_DAY, type QuietHours } from '../../../platform/time-of-day.ts';
import { getContactBook } from '../../audience/contact-books/contact-books.ts';
import { isMemberSegment } from '../../audience/segments/member-segments.ts';
import { getSegment } from '../../audience/segments/segments.ts';
import type { Facts } from '../../instance/facts.ts';
import { findPrivateUrlError } from '../../instance/private-urls.ts';
import { findSendingDomain } from '../../sending/domains/find-domain.ts';
import { findTemplateKey } from '../../content/templates/templates.ts';
import type {
  AutomationCheck,
  AutomationDefinition,
  AutomationStep,
  Finding,
  StepOfType,
} from './automations.schema.ts';
import { findFilterErrors } from './check-filters.ts';
import { findGraphErrors } from './graph.ts';

type InstanceFacts = Pick<Facts, 'webhookAllowPrivate'>;

interface Checkable {
  definition: AutomationDefinition;
  /** Its UUID. */
  contactBookId: string;
}

interface Checked {
  db: Db;
  facts: InstanceFacts;
  teamId: number;
  errors: Finding[];
}

export async function checkDefinition(
  db: Db,
  facts: InstanceFacts,
  teamId: number,
  { definition, contactBookId }: Checkable,
): Promise<AutomationCheck> {
  const errors = findGraphErrors(definition);
  if (!definition.trigger) errors.push({ path: '/trigger', step: null, message: 'is required' });
  if (definition.steps.length === 0)
    errors.push({ path: '/steps', step: null, message: 'must have at least 1 step' });
  const checked = { db, facts, teamId, errors };
  const { trigger } = definition;
  if (trigger && 'segmentId' in trigger && !(await isOfBook(checked, trigger.segmentId, contactBookId)))
    errors.push({
      path: '/trigger/segmentId',
      step: null,
      message: 'is not a segment of the contact book of the automation',
    });
  for (const [at, step] of definition.steps.entries()) await checkStep(checked, step, `/steps/${at}`);
  errors.push(...(await findFilterErrors(db, teamId, definition)));
  const warnings = findWarnings(definition);
  if (definition.ratePerMinute !== null && definition.steps.some(isQuiet)) {
    const { _count: counts } = await getContactBook(db, teamId, encodeId('cbk', contactBookId));
    warnings.push(...findNarrowHours(definition, counts.contacts));
  }
  return { errors, warnings };
}

/** Throws an error that names the step. */
export async function requireValid(
  db: Db,
  facts: InstanceFacts,
  teamId: number,
  checkable: Checkable,
): Promise<void> {
  const { errors } = await checkDefinition(db, facts, teamId, checkable);
  if (errors.length === 0) return;
  const issues = errors.map(({ path, message }) => ({ path, message }));
  throw badRequest(`${describeIssue(issues[0]!)} (${issues[0]!.path}).`, issues);
}

async function checkStep(checked: Checked, step: AutomationStep, path: string): Promise<void> {
  const report = (field: string, message: string) =>
    checked.errors.push({ path: `${path}/${field}`, step: step.key, message });
  switch (step.type) {
    case 'email': {
      if (step.templateId && !(await hasTemplate(checked, step.templateId)))
        report('templateId', 'is not a template of your team');
      if (step.topicId && !(await exists(checked, 'topics', 'top', step.topicId)))
        report('topicId', 'is not a topic of your team');
      if (step.mailboxId && !(await exists(checked, 'mailboxes', 'mbx', step.mailboxId)))
        report('mailboxId', 'is not a mailbox of your team');
      if (!step.from && !step.mailboxId) report('from', 'or mailboxId is required');
      if (step.from && !step.mailboxId) await checkSender(checked, step.from, report);
      if (step.replyTo && !parseMailbox(step.replyTo)) report('replyTo', 'must be an email address');
      break;
    }
    case 'update': {
      for (const field of ['join', 'leave'] as const)
        for (const [at, id] of (step.topics?.[field] ?? []).entries())
          if (!(await exists(checked, 'topics', 'top', id)))
            report(`topics/${field}/${at}`, 'is not a topic of your team');
      for (const field of ['add', 'remove'] as const)
        for (const [at, id] of (step.segments?.[field] ?? []).entries())
          if (!(await isOfMembers(checked, id)))
            report(`segments/${field}/${at}`, 'is not a segment to which contacts are added one by one');
      break;
    }
    case 'webhook': {
      const message = findPrivateUrlError(checked.facts, step.url);
      if (message !== null) report('url', message);
      break;
    }
    case 'thread':
      if (!(await exists(checked, 'mailboxes', 'mbx', step.mailboxId)))
        report('mailboxId', 'is not a mailbox of your team');
      else if (step.assign && !(await canRead(checked, step.mailboxId, step.assign)))
        report('assign', 'is nobody of your team with access to the mailbox');
      if (!step.draft && !step.assign && !step.label && !step.note)
        report('draft', 'or assign, label or note is required');
      break;
  }
}

async function canRead({ db, teamId }: Checked, mailboxId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from memberships m join mailboxes box on box.team_id = m.team_id and box.id = ${decodeId('mbx', mailboxId)}
    left join mailbox_access a on a.team_id = m.team_id and a.mailbox_id = box.id and a.user_id = m.user_id
    where m.team_id = ${teamId} and m.user_id = ${decodeId('usr', userId)}
      and (box.access_mode = 'team' or a.role is not null)
  `.execute(db);
  return rows.length > 0;
}

async function checkSender(
  { db, teamId }: Checked,
  from: string,
  report: (field: string, message: string) => void,
): Promise<void> {
  const sender = parseMailbox(from);
  if (!sender) report('from', 'must be an email address');
  else if (!(await findSendingDomain(db, teamId, sender.domain)))
    report('from', `must use a verified domain of your team. ${sender.domain} is not verified`);
}

async function hasTemplate({ db, teamId }: Checked, templateId: string): Promise<boolean> {
  return findTemplateKey(db, teamId, templateId).then(
    () => true,
    () => false,
  );
}

async function isOfMembers({ db, teamId }: Checked, segmentId: string): Promise<boolean> {
  return getSegment(db, teamId, segmentId).then(isMemberSegment, () => false);
}

async function isOfBook({ db, teamId }: Checked, segmentId: string, bookKey: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from segments
    where team_id = ${teamId} and contact_book_id = ${bookKey} and id = ${decodeId('seg', segmentId)}
  `.execute(db);
  return rows.length > 0;
}

async function exists(
  { db, teamId }: Checked,
  table: 'topics' | 'mailboxes',
  prefix: 'top' | 'mbx',
  id: string,
): Promise<boolean> {
  const key = decodeId(prefix, id);
  if (!key) return false;
  const { rows } =
    await sql`select 1 from ${sql.table(table)} where team_id = ${teamId} and id = ${key}`.execute(db);
  return rows.length > 0;
}

type QuietStep = StepOfType<'email'> & { quietHours: QuietHours };

function isQuiet(step: AutomationStep): step is QuietStep {
  return step.type === 'email' && !!step.quietHours;
}

/** Outside the quiet hours, the rate may be too low for everyone in the book. */
function findNarrowHours({ steps, ratePerMinute }: AutomationDefinition, people: number): Finding[] {
  return steps.flatMap((step, at) => {
    if (!isQuiet(step)) return [];
    const aDay = (ratePerMinute ?? Infinity) * (MINUTES_OF_DAY - minutesOf(step.quietHours));
    if (aDay >= people) return [];
    const message = `leave time for at most ${aDay} people a day at this rate, and the contact book has ${people}`;
    return [{ path: `/steps/${at}/quietHours`, step: step.key, message }];
  });
}

function findWarnings({ steps, exitOn, trigger }: AutomationDefinition): Finding[] {
  const warnings: Finding[] = [];
  const warn = (at: number, field: string, message: string) =>
    warnings.push({ path: `/steps/${at}${field}`, step: steps[at]!.key, message });
  for (const [at, step] of steps.entries()) {
    if (step.type === 'email' && steps[at + 1]?.type === 'email' && step.next === undefined)
      warn(at + 1, '', 'is an email right after another one. Put a delay between them');
    if (step.type === 'email' && step.kind === 'transactional' && trigger && 'segmentId' in trigger)
      warn(
        at,
        '/kind',
        'is transactional, so it has no unsubscribe link, though a segment starts the automation',
      );
  }
  if (!exitOn.includes('unsubscribed') && steps.some((step) => step.type === 'email'))
    warnings.push({
      path: '/exitOn',
      step: null,
      message: 'does not have "unsubscribed", so other steps go on for people who have unsubscribed',
    });
  return warnings;
}
