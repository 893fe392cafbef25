/**
 * Sends each message through the way out that the pools of its domain choose, or through MAIL_TRANSPORT. During a warm-up,
 * messages of campaigns over the limit of the day wait for a later one, and bulk mail waits while a provider blocks.
 * Such a message is deferred without an attempt. Urgent mail never waits.
 */
import { sql } from 'kysely';
import type { Dns } from '../../mail/auth/dns.ts';
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts';
import type { Db } from '../../platform/database/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Egresses } from '../instance/facts.ts';
import { chooseEgress, membersOf, type MailKind } from '../sending/egress/choose-egress.ts';
import { nameDestination } from '../sending/egress/large-destinations.ts';
import { findSlowdown, slowDown, speedUp } from '../sending/egress/slowdowns.ts';
import { giveRoomBack, noteFault, takeRoom, type DayKey } from '../sending/egress/warm-up-days.ts';
import { classOfAttempt } from './class-of-attempt.ts';
import type { AttemptResult } from './transports/attempt.ts';
import type { Transport, WireMessage } from './transports/transport.ts';

const BLOCKS = new Set(['policy', 'spam_block', 'reputation']);
const MAX_KNOWN = 10_000;
/** Domains move to another provider now and then. */
const KNOWN_MS = 6 * HOUR_MS;
/** Messages for the next day do not all come at midnight. */
const SPREAD_MS = 3_600_000;

interface Tools {
  db: Db;
  dns: Dns;
  log: Log;
  egresses: Egresses;
}

export function createEgressTransport(
  base: Transport,
  ways: Map<string, Transport>,
  { db, dns, log, egresses }: Tools,
): Transport {
  if (ways.size === 0) return base;
  const all = [base, ...ways.values()];
  const findProvider = createProviderFinder(dns);

  async function send(
    egress: string,
    message: WireMessage,
    isWanted: () => boolean,
  ): Promise<AttemptResult | null> {
    const provider = await findProvider(message.recipientDomain);
    const slowKey = { egress, provider: provider === 'other' ? message.recipientDomain : provider };
    const slowMs = message.isUrgent ? 0 : await findSlowdown(db, slowKey);
    if (slowMs > 0) return waitFor(slowMs, `${slowKey.provider} has blocked mail from ${egress}.`);
    const key = { egress, provider };
    const days = await takeRoom(db, egresses, key, { mayWait: message.isOfCampaign });
    if (days > 0)
      return waitFor(
        untilDay(days),
        `The warm-up of ${egress} allows no more mail to ${provider === 'other' ? 'this provider' : provider} today.`,
      );
    const result = await ways.get(egress)!.attempt(message, isWanted);
    await note(result, key, slowKey).catch((error: unknown) =>
      log.warn({ err: error, egress }, 'egress: a result was not counted'),
    );
    return result && { ...result, egress };
  }

  async function note(result: AttemptResult | null, key: DayKey, slowKey: DayKey): Promise<void> {
    if (!result) return giveRoomBack(db, key);
    if (result.outcome === 'delivered') return speedUp(db, slowKey);
    if (!result.reply) return;
    const isBlocked = BLOCKS.has(classOfAttempt(result).class ?? '');
    if (isBlocked) await slowDown(db, slowKey, result.reason);
    await noteFault(db, key, isBlocked ? 'blocked' : result.outcome);
  }

  return {
    unavailableTo(mail) {
      const each = all.map((transport) => transport.unavailableTo(mail));
      if (each.every((one) => one === 'all')) return 'all';
      return [...new Set(each.flatMap((one) => (one === 'all' ? [] : one)))];
    },
    takenElsewhere: (mail) => all.flatMap((transport) => transport.takenElsewhere?.(mail) ?? []),
    async attempt(message, isWanted) {
      const egress = await choose(db, egresses, message);
      return egress !== null && ways.has(egress)
        ? send(egress, message, isWanted)
        : base.attempt(message, isWanted);
    },
    async close() {
      await Promise.all(all.map((transport) => transport.close()));
    },
  };
}

/** The kind of mail is looked up only for domains whose kinds have different pools. */
async function choose(db: Db, egresses: Egresses, message: WireMessage): Promise<string | null> {
  const { pools, teamId, emailId, recipient, isOfCampaign } = message;
  if (Object.values(pools).every((choice) => choice === null)) return null;
  let kind: MailKind = isOfCampaign ? 'campaign' : 'transactional';
  if (!isOfCampaign && JSON.stringify(pools.transactional) !== JSON.stringify(pools.automation)) {
    const { rows } = await sql`
      select from automation_emails where team_id = ${teamId} and email_id = ${emailId}
    `.execute(db);
    if (rows.length > 0) kind = 'automation';
  }
  return chooseEgress(membersOf(pools[kind], egresses), `${teamId} ${recipient.toLowerCase()}`);
}

/** The provider of each domain, by its mail servers. An answer that DNS did not give is not kept. */
function createProviderFinder(dns: Dns): (domain: string) => Promise<string> {
  const known = new Map<string, { untilMs: number; name: string }>();
  return async (domain) => {
    const named = nameDestination(domain, undefined);
    if (named !== 'other') return named;
    const kept = known.get(domain);
    if (kept && kept.untilMs > Date.now()) return kept.name;
    const found = await dns.mx(domain);
    if (found.kind === 'failed') return kept?.name ?? named;
    const hosts = found.kind === 'found' ? found.records.toSorted((a, b) => a.priority - b.priority) : [];
    const name = nameDestination(domain, hosts[0]?.exchange.toLowerCase().replace(/\.$/, ''));
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(domain, { untilMs: Date.now() + KNOWN_MS, name });
    return name;
  };
}

function waitFor(ms: number, reason: string): AttemptResult {
  return {
    outcome: 'deferred',
    reply: null,
    reason,
    wholeSession: false,
    retryInMs: Math.ceil(ms),
    isHeldBack: true,
  };
}

/** From now until some time in the first hour of that day, in UTC. */
function untilDay(days: number): number {
  const now = Date.now();
  return Math.floor(now / DAY_MS) * DAY_MS + days * DAY_MS - now + Math.random() * SPREAD_MS;
}
