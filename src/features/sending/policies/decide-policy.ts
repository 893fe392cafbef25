/**
 * Decides whether an email may go: a pure function of the policy, the message and what is known about it. What a policy
 * never permits is `blocked`. What it permits with the approval of a person is `held`. Rules that block come first, so
 * that nobody is asked to approve what may not go.
 */
import type { SendPolicy } from './policies.schema.ts';

export interface JudgedMessage {
  /** Comparison keys of the recipients of the envelope. */
  recipients: readonly string[];
  /** Keys of every address in the fields of the header that name people, in angle brackets or in a name, or UNREADABLE. */
  named: readonly string[];
  /** Recipients that neither To nor Cc names. */
  hidden: readonly string[];
  /** Where links lead: {url, host}. The host of a link that cannot be read is empty. */
  links: readonly { url: string; host: string }[];
  /** SHA-256 of the attachments, in hex. */
  files: readonly string[];
}

export interface PolicyFacts {
  /** The address in From, and the other addresses of its mailbox. */
  own: ReadonlySet<string>;
  /** People to whom the mailbox has written, or who have written to it. */
  known: ReadonlySet<string>;
  /** Subscribed contacts of the books of the policy. */
  contacts: ReadonlySet<string>;
  /** The thread that the email replies to. */
  thread: ThreadFacts | null;
  /** What the key has submitted. */
  sent: { lastHour: number; lastDay: number; newLastDay: ReadonlySet<string> };
  /** Domains that are the team's own. */
  ownDomains: ReadonlySet<string>;
  /** What the key has read that outsiders wrote. Null: nothing. */
  taint: { threads: ReadonlySet<string> | 'all' } | null;
}

export interface ThreadFacts {
  id: string;
  /** Who was in it before this email. */
  people: ReadonlySet<string>;
  /** SHA-256 of all files in it, and of those that the team sent. */
  files: ReadonlySet<string>;
  ownFiles: ReadonlySet<string>;
  /** Links in what the team sent. */
  ownLinks: ReadonlySet<string>;
  /** How many emails agents have sent into it without approval since a person wrote. */
  unattended: number;
}

export interface PolicyVerdict {
  outcome: 'allow' | 'held' | 'blocked';
  rule: string;
  sentence: string;
}

/** Stands for an address that mail software reads in different ways. It equals no other. */
export const UNREADABLE = '';

const MAX_UNATTENDED = 5;
const ALLOW: PolicyVerdict = { outcome: 'allow', rule: '', sentence: '' };

type Rule = (policy: SendPolicy, message: JudgedMessage, facts: PolicyFacts) => string | null;

/** `named` is a rule and what it says when it applies. The first that applies decides. */
const BLOCKING: readonly (readonly [rule: string, Rule])[] = [
  [
    'mode',
    ({ mode }) => (mode === 'draft_only' ? 'This key may only write drafts. A person sends them.' : null),
  ],
  ['recipients.deny', denied],
  ['recipients.allow', outside],
  ['maxRecipients', tooMany],
  [
    'bcc',
    ({ bcc }, { hidden }) =>
      bcc || hidden.length === 0 ? null : 'This key may not send to recipients that no header shows (Bcc).',
  ],
  ['links', foreignLink],
  ['attachments', foreignFile],
  [
    'maxPerHour',
    ({ maxPerHour }, _message, { sent }) =>
      maxPerHour !== null && sent.lastHour >= maxPerHour
        ? `This key may submit ${count(maxPerHour, 'email')} an hour. Try again later.`
        : null,
  ],
  [
    'maxPerDay',
    ({ maxPerDay }, _message, { sent }) =>
      maxPerDay !== null && sent.lastDay >= maxPerDay
        ? `This key may submit ${count(maxPerDay, 'email')} in 24 hours. Try again later.`
        : null,
  ],
  ['maxNewRecipientsPerDay', tooManyNew],
];

const HOLDING: readonly (readonly [rule: string, Rule])[] = [
  ['mode', ({ mode }) => (mode === 'approve_all' ? 'A person approves every email of this key.' : null)],
  ['taint', tainted],
  [
    'approve_new',
    ({ mode }, message, facts) =>
      mode === 'approve_new' && newAddresses(message, facts).length > 0
        ? 'A person approves emails to people whom the mailbox has neither written to nor heard from.'
        : null,
  ],
  [
    'thread',
    (_policy, _message, { thread }) =>
      thread && thread.unattended >= MAX_UNATTENDED
        ? `A thread gets at most ${MAX_UNATTENDED} emails of agents without a person between. A person must approve the next one.`
        : null,
  ],
];

export function decidePolicy(policy: SendPolicy, message: JudgedMessage, facts: PolicyFacts): PolicyVerdict {
  for (const [outcome, rules] of [
    ['blocked', BLOCKING],
    ['held', HOLDING],
  ] as const) {
    for (const [rule, apply] of rules) {
      const sentence = apply(policy, message, facts);
      if (sentence !== null) return { outcome, rule, sentence };
    }
  }
  return ALLOW;
}

/** An email must pass all policies. The strictest verdict counts. */
export function decideAll(
  policies: readonly SendPolicy[],
  message: JudgedMessage,
  factsOf: (policy: SendPolicy) => PolicyFacts,
): PolicyVerdict {
  const verdicts = policies.map((policy) => decidePolicy(policy, message, factsOf(policy)));
  return (
    verdicts.find(({ outcome }) => outcome === 'blocked') ??
    verdicts.find(({ outcome }) => outcome === 'held') ??
    ALLOW
  );
}

/** The addresses that are new to the mailbox. */
export function newAddresses(message: JudgedMessage, facts: PolicyFacts): string[] {
  return everyone(message).filter((key) => !facts.own.has(key) && !facts.known.has(key));
}

function everyone({ recipients, named }: JudgedMessage): string[] {
  return [...new Set([...recipients, ...named])];
}

function denied({ recipients: { deny } }: SendPolicy, message: JudgedMessage): string | null {
  const found = everyone(message).find((key) =>
    key === UNREADABLE ? deny.length > 0 : matches(deny, key) || matches(deny, withoutTag(key)),
  );
  return found === undefined ? null : `This key may not write to ${shown(found)}.`;
}

function outside({ recipients }: SendPolicy, message: JudgedMessage, facts: PolicyFacts): string | null {
  const { allow, contactBookIds, threadParticipants } = recipients;
  if (allow.length === 0 && contactBookIds.length === 0) return null;
  const found = everyone(message).find(
    (key) =>
      !facts.own.has(key) &&
      !matches(allow, key) &&
      !facts.contacts.has(key) &&
      !(threadParticipants && facts.thread?.people.has(key)),
  );
  if (found === undefined) return null;
  const allowed = allow.length > 0 ? ` It may write to: ${allow.slice(0, 10).join(', ')}.` : '';
  return `This key may not write to ${shown(found)}.${allowed}`;
}

function shown(key: string): string {
  return key === UNREADABLE ? 'an address with quotes, comments or spaces beside its @ or its dots' : key;
}

/** `ada+news@example.com` reaches the same person as `ada@example.com` in most places. */
function withoutTag(key: string): string {
  return key.replace(/^([^+@]+)\+[^@]*@/, '$1@');
}

/** An entry is an address or a domain. */
function matches(entries: readonly string[], key: string): boolean {
  return entries.includes(key) || entries.includes(key.slice(key.lastIndexOf('@') + 1));
}

function tooMany({ maxRecipients }: SendPolicy, message: JudgedMessage, facts: PolicyFacts): string | null {
  const found = everyone(message).filter((key) => !facts.own.has(key)).length;
  if (maxRecipients === null || Math.max(found, message.recipients.length) <= maxRecipients) return null;
  return `An email of this key may have ${count(maxRecipients, 'address', 'addresses')}. This one has ${found}.`;
}

function foreignLink({ links }: SendPolicy, message: JudgedMessage): string | null {
  if (links === 'any') return null;
  if (links === 'none') return message.links.length > 0 ? 'Emails of this key may not have links.' : null;
  const found = message.links.find(({ host }) => !isUnder(links, host));
  return found === undefined
    ? null
    : `Links of this key may lead to ${links.slice(0, 10).join(', ')} only. ${found.host || 'A link that cannot be read'} is none of these.`;
}

function isUnder(domains: Iterable<string>, host: string): boolean {
  return [...domains].some((domain) => host === domain || host.endsWith(`.${domain}`));
}

function foreignFile(
  { attachments }: SendPolicy,
  { files }: JudgedMessage,
  { thread }: PolicyFacts,
): string | null {
  if (attachments === 'any' || files.length === 0) return null;
  if (attachments === 'none') return 'Emails of this key may not have attachments.';
  return files.every((hash) => thread?.files.has(hash))
    ? null
    : 'This key may attach only files that are in the thread.';
}

function tooManyNew(policy: SendPolicy, message: JudgedMessage, facts: PolicyFacts): string | null {
  const { maxNewRecipientsPerDay: limit } = policy;
  if (limit === null) return null;
  const fresh = newAddresses(message, facts).filter((key) => !facts.sent.newLastDay.has(key));
  if (fresh.length === 0 || facts.sent.newLastDay.size + fresh.length <= limit) return null;
  return `This key may write to ${count(limit, 'new address', 'new addresses')} in 24 hours.`;
}

function tainted({ taint }: SendPolicy, message: JudgedMessage, facts: PolicyFacts): string | null {
  if (taint === 'off' || facts.taint === null) return null;
  const why = 'This key has read what an outsider wrote in the last 24 hours';
  const { thread } = facts;
  const { threads } = facts.taint;
  if (!thread || (threads !== 'all' && !threads.has(thread.id)))
    return `${why}, so a person approves its emails outside of that thread.`;
  if (everyone(message).some((key) => !facts.own.has(key) && !thread.people.has(key)))
    return `${why}, so a person approves its emails to people who were not in that thread.`;
  if (message.files.some((hash) => !thread.ownFiles.has(hash)))
    return `${why}, so a person approves its emails with files that did not come from you.`;
  if (message.links.some(({ url, host }) => !thread.ownLinks.has(url) && !isUnder(facts.ownDomains, host)))
    return `${why}, so a person approves its emails with links that did not come from you.`;
  return null;
}

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
