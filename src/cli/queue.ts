/** `posthorn queue`: lists the deliveries that wait, and retries, holds, releases or drops them. */
import { createInterface } from 'node:readline/promises';
import type { Config } from '../config.ts';
import { changeQueue, wakeDeliveryWorkersNow } from '../features/delivery/queue/change-queue.ts';
import { decodeDeliveryId } from '../features/delivery/queue/delivery-id.ts';
import { countQueue, getQueuedDelivery, listQueue } from '../features/delivery/queue/list-queue.ts';
import type { QueuedDelivery, QueuedDeliveryWithEvents } from '../features/delivery/queue/queue.schema.ts';
import type { QueueSelection } from '../features/delivery/queue/selection.ts';
import type { Db } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { decodeId } from '../platform/ids.ts';
import { oneLine } from './progress.ts';
import { showCount } from './show.ts';
import { readOptions, requireTeamId, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

/** The subcommands that change deliveries, with the words for their result. */
const ACTIONS = {
  flush: { action: 'retry', one: 'delivery is tried now', many: 'deliveries are tried now' },
  hold: { action: 'hold', one: 'delivery is held', many: 'deliveries are held' },
  release: { action: 'release', one: 'delivery is released', many: 'deliveries are released' },
  drop: { action: 'drop', one: 'delivery was dropped', many: 'deliveries were dropped' },
} as const;
type ActionName = keyof typeof ACTIONS;

const BUSY = [
  'delivery is being sent right now and was',
  'deliveries are being sent right now and were',
] as const;

const FILTERS = ['team', 'domain', 'campaign'] as const;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export async function queueCommand([verb = '', ...args]: string[], config: Config): Promise<void> {
  if (verb === 'list') return list(args, config);
  if (verb === 'show') return show(args, config);
  if (Object.hasOwn(ACTIONS, verb)) return change(verb as ActionName, args, config);
  throw unknownSubcommand(verb, ['list', 'show', ...Object.keys(ACTIONS)]);
}

async function list(args: string[], config: Config): Promise<void> {
  const { options, flags } = readOptions(args, [...FILTERS, 'limit'], { flags: ['held', 'json'] });
  const selection = { ...readFilters(options), held: flags.held ? true : undefined };
  const limit = readLimit(options.limit);
  await withInstance(config, async ({ db }) => {
    const [counts, { items }] = [await countQueue(db, selection), await listQueue(db, selection, { limit })];
    if (flags.json) return console.log(JSON.stringify({ ...counts, items }, null, 2));
    for (const item of items) console.log(describe(item));
    const shown =
      items.length < counts.total ? `; the newest ${showCount(items.length, 'is', 'are')} shown` : '';
    console.log(
      `${items.length > 0 ? '\n' : ''}${showCount(counts.total, 'delivery', 'deliveries')} in the queue, ${counts.held} held${shown}.`,
    );
  });
}

function readLimit(value: string | undefined): number {
  if (value === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    throw new UsageError(`--limit must be a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

function describe(item: QueuedDelivery): string {
  const next = item.nextAttemptAt ? `next attempt ${item.nextAttemptAt}` : item.state;
  const paused = item.state === 'paused' ? ' (campaign paused)' : '';
  const attempts = showCount(item.attempts, 'attempt');
  return [
    item.id,
    `team ${item.teamId}`,
    item.recipient,
    attempts,
    `${next}${paused}`,
    oneLine(item.lastError ?? ''),
  ]
    .filter((part) => part !== '')
    .join('  ');
}

async function show(args: string[], config: Config): Promise<void> {
  const { positionals, flags } = readOptions(args, [], { positionals: true, flags: ['json'] });
  const [id, ...more] = positionals;
  if (!id || more.length > 0)
    throw new UsageError('Give the ID of one delivery or email. `posthorn queue list` shows them.');
  await withInstance(config, async ({ db }) => {
    const isEmail = decodeDeliveryId(id)?.recipientNo === null;
    const ids = isEmail ? await deliveriesOf(db, id) : [id];
    const deliveries: QueuedDeliveryWithEvents[] = [];
    for (const deliveryId of ids) deliveries.push(await getQueuedDelivery(db, null, deliveryId));
    if (flags.json) return console.log(JSON.stringify(isEmail ? deliveries : deliveries[0], null, 2));
    console.log(deliveries.map(describeWithEvents).join('\n\n'));
  });
}

/** Returns the deliveries of an email that are in the queue, the first recipient first. */
async function deliveriesOf(db: Db, emailId: string): Promise<string[]> {
  const { items } = await listQueue(db, { teamId: null, ids: [emailId] }, { limit: MAX_LIMIT });
  if (items.length === 0) throw new AppError('NOT_FOUND', 'This email has no deliveries in the queue.');
  return items.map((item) => item.id).toReversed();
}

function describeWithEvents({ events, ...delivery }: QueuedDeliveryWithEvents): string {
  const fields = Object.entries(delivery).map(
    ([name, value]) => `${name}: ${oneLine(String(value ?? 'none'))}`,
  );
  const happened = events.map(({ createdAt, status, data }) =>
    `${createdAt}  ${status}  ${data === null ? '' : oneLine(JSON.stringify(data))}`.trimEnd(),
  );
  return [...fields, '', 'Events:', ...happened].join('\n');
}

async function change(name: ActionName, args: string[], config: Config): Promise<void> {
  const {
    options,
    flags,
    positionals: ids,
  } = readOptions(args, FILTERS, {
    positionals: true,
    flags: name === 'drop' ? ['yes'] : ['all'],
  });
  const filters = readFilters(options);
  if (ids.length === 0 && Object.values(options).length === 0 && !flags.all) {
    throw new UsageError(
      `Give delivery IDs, --team, --domain or --campaign${name === 'drop' ? '' : ', or --all'}. Nothing was changed.`,
    );
  }
  const wrong = ids.find((id) => decodeDeliveryId(id) === null);
  if (wrong !== undefined)
    throw new UsageError(`${wrong} is not the ID of a delivery or an email. Nothing was changed.`);
  const selection = { ...filters, ids: ids.length > 0 ? ids : undefined };
  await withInstance(config, async ({ db }) => {
    if (name === 'drop' && !flags.yes && !(await confirmDrop(db, selection))) return;
    const { changed, busy } = await changeAll(db, name, selection);
    if (name === 'flush' || name === 'release') await wakeDeliveryWorkersNow(db);
    const { one, many } = ACTIONS[name];
    console.log(`${showCount(changed, one, many)}.`);
    if (busy > 0) console.log(`${showCount(busy, ...BUSY)} not changed.`);
  });
}

async function changeAll(db: Db, name: ActionName, selection: QueueSelection) {
  const sum = { changed: 0, busy: 0 };
  let after = null;
  do {
    const batch = await changeQueue(db, ACTIONS[name].action, selection, { after, by: 'posthorn queue' });
    sum.changed += batch.changed;
    sum.busy += batch.busy;
    after = batch.next;
  } while (after);
  return sum;
}

async function confirmDrop(db: Db, selection: QueueSelection): Promise<boolean> {
  const { total } = await countQueue(db, selection);
  const what = showCount(total, 'delivery', 'deliveries');
  if (!process.stdin.isTTY)
    throw new UsageError(`${what} would be dropped. Add --yes to drop them. Nothing was changed.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Drop ${what}? The recipients will not get the email. [y/N] `);
  terminal.close();
  if (/^y(es)?$/i.test(answer.trim())) return true;
  console.log('Nothing was changed.');
  return false;
}

function readFilters({
  team,
  domain,
  campaign,
}: Partial<Record<(typeof FILTERS)[number], string>>): QueueSelection {
  if (campaign !== undefined && decodeId('cmp', campaign) === null)
    throw new UsageError('--campaign must be the ID of a campaign (cmp_…).');
  return { teamId: team === undefined ? null : requireTeamId(team), domain, campaignId: campaign };
}
