/**
 * Judges a message that arrives: by rspamd if there is one, and by the built-in score otherwise. When the filter fails,
 * the message is delivered without a verdict.
 */
import { findListings, listedFormOf, type BlocklistZone } from '../../../mail/auth/blocklists.ts';
import type { SenderCheck } from '../../../mail/auth/check-sender.ts';
import type { Dns } from '../../../mail/auth/dns.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { referencedIds } from '../../../mail/mime/threading.ts';
import type { Rspamd, RspamdResult } from '../../../mail/spam/rspamd.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Destination } from '../mailboxes/find-mailbox.ts';
import { readHistory } from './read-history.ts';
import { readTaught } from './learned-words.ts';
import { scoreMessage } from './score-message.ts';
import type { SpamVerdict } from './verdict.ts';
import type { HashWords } from './words.ts';

export interface SpamTools {
  dns: Dns;
  rspamd: Rspamd | null;
  blocklistZones: BlocklistZone[];
  hashWords: HashWords;
  /** Called when a message is delivered without a score because of an error. */
  onError: (error: unknown) => void;
}

/** The verdicts by mailbox. A mailbox without one gets the message in its inbox. */
export type SpamVerdicts = ReadonlyMap<string, SpamVerdict>;
export type JudgeSpam = (db: Db, destinations: readonly Destination[]) => Promise<SpamVerdicts>;

interface Arriving {
  ip: string;
  helo: string;
  mailFrom: string;
  /** The ID of the transaction. */
  id: string;
  mta: string;
  raw: Buffer;
  destinations: readonly Destination[];
}

interface Checked {
  parsed: ParsedMessage;
  check: SenderCheck;
  isUnwanted: boolean;
}

/** Starts what needs the network, so that it runs while the sender is checked. Never throws. */
export function startSpamCheck(tools: SpamTools, arriving: Arriving): (checked: Checked) => JudgeSpam {
  const { rspamd, dns, blocklistZones } = tools;
  const { raw, ip, helo, mailFrom, mta, id, destinations } = arriving;
  const recipients = destinations.map(({ deliveredTo, addressKey }) => deliveredTo ?? addressKey);
  const asking = rspamd?.check(raw, { ip, helo, mailFrom, mta, queueId: id, recipients });
  const listed = rspamd ? null : findListings(dns, blocklistZones, 'addresses', listedFormOf(ip));
  return (checked) => async (db, mailboxes) => {
    if (asking) {
      const result = await asking;
      return new Map(
        result ? mailboxes.map(({ mailboxId }) => [mailboxId, toVerdict(result, checked.isUnwanted)]) : [],
      );
    }
    const server = (await listed) ?? [];
    return judgeByScore(tools, { ...checked, ip, server }, db, mailboxes).catch((error: unknown) => {
      tools.onError(error);
      return new Map();
    });
  };
}

const SPAM_ACTIONS = new Set(['reject', 'add header', 'rewrite subject', 'quarantine', 'discard']);
const MAX_REASONS = 5;
const MAX_ACTION = 50;

/** What rspamd says about a message. */
export function toVerdict({ score, action, symbols }: RspamdResult, isUnwanted: boolean): SpamVerdict {
  const isSpam = isUnwanted || SPAM_ACTIONS.has(action.toLowerCase());
  const reasons = weightyReasons(symbols);
  return {
    score,
    // Some findings of rspamd decide without points.
    reasons: reasons.length > 0 || !isSpam ? reasons : [`The filter says: ${action.slice(0, MAX_ACTION)}.`],
    symbols: symbols.map((symbol) => ({ name: symbol.name, score: symbol.score })),
    isSpam,
  };
}

function weightyReasons(symbols: RspamdResult['symbols']): string[] {
  return symbols
    .filter((symbol) => symbol.score >= 1)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_REASONS)
    .map(({ name, score: points, description }) => {
      const words = description ?? `The filter has found ${name}`;
      return `${words.replace(/\.$/, '')} (${name}, ${points}).`;
    });
}

async function judgeByScore(
  { dns, blocklistZones, hashWords }: SpamTools,
  { parsed, check, isUnwanted, ip, server }: Checked & { ip: string; server: string[] },
  db: Db,
  mailboxes: readonly Destination[],
): Promise<SpamVerdicts> {
  const { spf, dkim, dmarc, authorDomain } = check;
  const domain = authorDomain ? await findListings(dns, blocklistZones, 'domains', authorDomain) : [];
  const senderKey = parseAddress(parsed.from?.address ?? '')?.key ?? null;
  const references = referencedIds(parsed);
  const unique = [...new Map(mailboxes.map((each) => [each.mailboxId, each])).values()];
  const verdicts = await Promise.all(
    unique.map(async ({ teamId, mailboxId }): Promise<[string, SpamVerdict]> => {
      const history = await readHistory(db, { teamId, mailboxId, senderKey, references });
      const taught = history.hasTaught ? await readTaught(db, teamId, hashWords(teamId, parsed)) : null;
      const listings = { server, domain };
      const authentication = { spf, dkim, dmarc };
      const facts = { authentication, isUnwanted, ip, authorDomain, listings, history, taught };
      return [mailboxId, scoreMessage(facts)];
    }),
  );
  return new Map(verdicts);
}
