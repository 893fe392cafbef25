/**
 * A second decision, written from the documentation of send policies and without a look at the first, judges random
 * emails. Both must agree.
 */
import { expect, test } from 'vitest';
import { decidePolicy, type JudgedMessage, type PolicyFacts } from './decide-policy.ts';
import { readJudged } from './judged-message.ts';
import type { SendPolicy } from './policies.schema.ts';

const listed = (list: string[], one: string) =>
  list.some((entry) => (entry.includes('@') ? entry === one : one.endsWith(`@${entry}`)));
const inside = (domains: string[], host: string) =>
  domains.some((name) => `.${host}`.endsWith(`.${name}`) && host !== '');

/** The reference: what may never go, then what needs a person. */
function reference(policy: SendPolicy, message: JudgedMessage, facts: PolicyFacts): string {
  const all = new Set([...message.recipients, ...message.named]);
  const others = [...all].filter((one) => !facts.own.has(one));
  const { recipients, links } = policy;
  const thread = facts.thread;

  if (policy.mode === 'draft_only') return 'blocked';
  for (const one of all) if (listed(recipients.deny, one)) return 'blocked';
  if (recipients.allow.length + recipients.contactBookIds.length > 0)
    for (const one of others) {
      const isAllowed = listed(recipients.allow, one) || facts.contacts.has(one);
      const isInThread = recipients.threadParticipants && (thread?.people.has(one) ?? false);
      if (!isAllowed && !isInThread) return 'blocked';
    }
  const most = Math.max(others.length, message.recipients.length);
  if (policy.maxRecipients !== null && most > policy.maxRecipients) return 'blocked';
  if (!policy.bcc && message.hidden.length > 0) return 'blocked';
  if (links === 'none' && message.links.length > 0) return 'blocked';
  if (Array.isArray(links) && message.links.some(({ host }) => !inside(links, host))) return 'blocked';
  if (policy.attachments === 'none' && message.files.length > 0) return 'blocked';
  if (policy.attachments === 'from_thread' && message.files.some((file) => !thread?.files.has(file)))
    return 'blocked';
  if (policy.maxPerHour !== null && facts.sent.lastHour + 1 > policy.maxPerHour) return 'blocked';
  if (policy.maxPerDay !== null && facts.sent.lastDay + 1 > policy.maxPerDay) return 'blocked';
  const strangers = others.filter((one) => !facts.known.has(one));
  const fresh = strangers.filter((one) => !facts.sent.newLastDay.has(one));
  const total = new Set([...facts.sent.newLastDay, ...fresh]).size;
  if (policy.maxNewRecipientsPerDay !== null && fresh.length > 0 && total > policy.maxNewRecipientsPerDay)
    return 'blocked';

  if (policy.mode === 'approve_all') return 'held';
  if (policy.taint === 'strict' && facts.taint) {
    const { threads } = facts.taint;
    if (!thread || !(threads === 'all' || threads.has(thread.id))) return 'held';
    if (others.some((one) => !thread.people.has(one))) return 'held';
    if (message.files.some((file) => !thread.ownFiles.has(file))) return 'held';
    if (
      message.links.some(({ url, host }) => !thread.ownLinks.has(url) && !inside([...facts.ownDomains], host))
    )
      return 'held';
  }
  if (policy.mode === 'approve_new' && strangers.length > 0) return 'held';
  return thread && thread.unattended >= 5 ? 'held' : 'allow';
}

/** A generator whose numbers are the same in every run (Mulberry32). */
function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  const some = <Item>(items: readonly Item[], share: number): Item[] => items.filter(() => next() < share);
  return { next, pick, some };
}

const PEOPLE = ['a@one.test', 'b@one.test', 'c@two.test', 'd@sub.two.test', 'me@own.test', 'e@three.test'];
const ENTRIES = [...PEOPLE, 'one.test', 'two.test', 'three.test'];
const LINKS = ['one.test', 'www.one.test', 'notone.test', 'own.test', ''].map((host, no) => ({
  url: `https://${host}/${no}`,
  host,
}));
const FILES = ['f1', 'f2', 'f3'];

function randomCase(seed: number): [SendPolicy, JudgedMessage, PolicyFacts] {
  const { next, pick, some } = createRandom(seed);
  const rarely = <Item>(items: readonly Item[]) => (next() < 0.3 ? some(items, 0.4) : []);
  const limit = (most: number) => (next() < 0.25 ? 1 + Math.floor(next() * most) : null);
  const policy: SendPolicy = {
    id: 'pol_x',
    name: 'x',
    mode: pick(['approve_all', 'approve_new', 'approve_new', 'free', 'free', 'free', 'draft_only']),
    recipients: {
      allow: rarely(ENTRIES),
      deny: next() < 0.15 ? some(ENTRIES, 0.2) : [],
      threadParticipants: next() < 0.7,
      contactBookIds: next() < 0.1 ? ['cbk_x'] : [],
    },
    maxRecipients: limit(4),
    maxPerHour: limit(4),
    maxPerDay: limit(6),
    maxNewRecipientsPerDay: limit(4),
    links: pick(['any', 'any', 'none', ['one.test'], ['own.test', 'two.test']]),
    attachments: pick(['any', 'any', 'none', 'from_thread']),
    bcc: next() < 0.6,
    taint: pick(['strict', 'off']),
    createdAt: '',
    updatedAt: '',
  };
  const recipients = [pick(PEOPLE), ...some(PEOPLE, 0.15)].filter((one, at, all) => all.indexOf(one) === at);
  const message: JudgedMessage = {
    recipients,
    named: [...recipients, ...some(PEOPLE, 0.1)],
    hidden: next() < 0.2 ? some(recipients, 0.5) : [],
    links: rarely(LINKS),
    files: rarely(FILES),
  };
  const thread: PolicyFacts['thread'] =
    next() < 0.6
      ? {
          id: pick(['t1', 't2']),
          people: new Set(some(PEOPLE, 0.7)),
          files: new Set(some(FILES, 0.6)),
          ownFiles: new Set(some(FILES, 0.4)),
          ownLinks: new Set(some(LINKS, 0.3).map(({ url }) => url)),
          unattended: Math.floor(next() * 7),
        }
      : null;
  const facts: PolicyFacts = {
    own: new Set(['me@own.test']),
    known: new Set(some(PEOPLE, 0.6)),
    contacts: new Set(some(PEOPLE, 0.3)),
    thread,
    sent: {
      lastHour: Math.floor(next() * 4),
      lastDay: Math.floor(next() * 6),
      newLastDay: new Set(some(PEOPLE, 0.2)),
    },
    ownDomains: new Set(['own.test']),
    taint: next() < 0.5 ? { threads: pick([new Set(['t1']), new Set<string>(), 'all' as const]) } : null,
  };
  return [policy, message, facts];
}

test('the decision and the reference agree about 20,000 random emails', () => {
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= 20_000; seed++) {
    const given = randomCase(seed);
    const { outcome } = decidePolicy(...given);
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    if (outcome !== reference(...given)) expect({ seed, given, outcome }).toBe(reference(...given));
  }
  // The cases are worth something only if all outcomes occur often.
  for (const outcome of ['allow', 'held', 'blocked']) expect(seen.get(outcome)).toBeGreaterThan(1_000);
});

const VICTIM = 'friend@example.org';

/** Lets everything go. */
const OPEN: SendPolicy = {
  ...randomCase(1)[0],
  mode: 'free',
  maxRecipients: null,
  maxPerHour: null,
  maxPerDay: null,
  maxNewRecipientsPerDay: null,
  links: 'any',
  attachments: 'any',
  bcc: true,
  taint: 'off',
};

/** Every way that we know to hide another address in a message. The envelope names only the friend. */
const HIDDEN: string[] = [
  'To: spy@evil.test',
  'To: friend@example.org, spy@evil.test',
  'To: team: friend@example.org, spy@evil.test;',
  'To: "spy@evil.test" <friend@example.org>',
  'To: friend@example.org (spy@evil.test)',
  'To: =?utf-8?q?spy=40evil.test?= <friend@example.org>',
  'To: =?utf-8?b?c3B5QGV2aWwudGVzdA==?= <friend@example.org>',
  'To: friend@example.org,\r\n spy@evil.test',
  'To: <friend@example.org>\r\nTo: <spy@evil.test>',
  'CC: spy@evil.test',
  'Reply-To: spy@evil.test',
  'REPLY-TO: Friend <spy@evil.test>',
  'Resent-To: spy@evil.test',
  'Resent-Cc: spy@evil.test',
  'Resent-Bcc: spy@evil.test',
  'Bcc: spy@evil.test',
  'Disposition-Notification-To: spy@evil.test',
  'Return-Receipt-To: spy@evil.test',
  'Mail-Followup-To: spy@evil.test',
  'Errors-To: spy@evil.test',
  'List-Unsubscribe: <mailto:spy@evil.test?subject=x>',
  'Apparently-To: spy@evil.test',
  'To: friend@example.org <spy@evil.test>',
  'To: friend@example.org@evil.test',
  'To: SPY@EVIL.TEST',
  // The first letter of the domain is Cyrillic.
  'To: spy@\u0435xample.org',
  'To: spy@xn--xample-2of.org',
  'Cc: friends: friend@example.org, others: spy@evil.test;;',
  // Mail software disagrees about these.
  'Reply-To: "spy"@evil.test',
  'Reply-To: "the spy"@evil.test',
  'Reply-To: Friend <"spy"@evil.test>',
  'Reply-To: spy(x)@evil.test',
  'Reply-To: spy(")@evil.test (")',
  'Reply-To: spy@(x)evil.test',
  'Reply-To: spy @evil.test',
  'Reply-To: spy@\r\n evil.test',
  'Reply-To: friend@example.org .evil.test',
  'Reply-To: friend@example.org(x).evil.test',
  'Reply-To: friend@example.org(x(y)) .evil.test',
  'Reply-To: spy@[192.0.2.1]',
  'Reply-To: <@evil.test:friend@example.org>',
  'Cc: team: "spy"@evil.test;',
  'Cc: =?utf-8?q?=22spy=22=40evil.test?=',
  'Resent-To: "spy"@evil.test',
  'Disposition-Notification-To: "spy"@evil.test',
];

test.each(HIDDEN)('an address outside of the policy is found in %j', async (field) => {
  const raw = Buffer.from(`From: me@own.test\r\n${field}\r\nSubject: x\r\n\r\nx\r\n`);
  const judged = await readJudged({ raw, recipients: [{ key: VICTIM }] });
  const [, , facts] = randomCase(1);
  const recipients = { allow: ['example.org'], deny: [], threadParticipants: true, contactBookIds: [] };
  const open: SendPolicy = { ...OPEN, recipients };
  const verdict = decidePolicy(open, judged, { ...facts, thread: null, contacts: new Set() });
  expect(verdict).toMatchObject({ outcome: 'blocked', rule: 'recipients.allow' });
});

test.each([
  'To: "Ada @ Example" <friend@example.org>',
  'To: "Ada (@ada)" <friend@example.org>',
  'To: =?utf-8?q?Ada_=40_Example_=28=40ada=29?= <friend@example.org>',
  'To: Ada Lovelace (@ada) <friend@example.org>, "Friend, Ada" <friend@example.org>',
  'To: friend@example.org (Ada)',
  'Cc: friends: friend@example.org;',
])('an at sign in a name is no other address: %j', async (field) => {
  const raw = Buffer.from(`From: me@own.test\r\n${field}\r\nSubject: x\r\n\r\nx\r\n`);
  expect((await readJudged({ raw, recipients: [{ key: VICTIM }] })).named).toEqual([VICTIM]);
});

test.each<[deny: string[], to: string, outcome: string]>([
  [['spy@evil.test'], 'spy+x@evil.test', 'blocked'],
  [['spy@evil.test'], 'SPY+x+y@evil.test', 'blocked'],
  [['evil.test'], 'spy+x@evil.test', 'blocked'],
  [['spy@evil.test'], 'spyx@evil.test', 'allow'],
  [['spy@evil.test'], '+x@evil.test', 'allow'],
  [['spy@evil.test'], '"spy"@evil.test', 'blocked'],
])('whoever denies %j denies %s: %s', async (deny, to, outcome) => {
  const raw = Buffer.from(`From: me@own.test\r\nTo: ${to}\r\nSubject: x\r\n\r\nx\r\n`);
  const judged = await readJudged({ raw, recipients: [{ key: to.toLowerCase() }] });
  const recipients = { allow: [], deny, threadParticipants: true, contactBookIds: [] };
  const [, , facts] = randomCase(1);
  const verdict = decidePolicy({ ...OPEN, recipients }, judged, { ...facts, thread: null });
  expect(verdict.outcome).toBe(outcome);
});

const LINK_FORMS = [
  'https://evil.test/',
  'HTTPS://EVIL.TEST/',
  'https:evil.test',
  'https:\\\\evil.test\\x',
  '//evil.test/x',
  '\\/evil.test/x',
  'https://own.test@evil.test/',
  'https://own.test:443@evil.test/',
  'https://own.test.evil.test/',
  'https://evil.test#own.test',
  'https://evil.test\\@own.test/',
  'https://evil.test/?https://own.test/',
  'https://evil。test/',
  'https://[::1]/',
  'https://127.0.0.1/',
  'mailto:spy@evil.test',
  'www.evil.test',
  'ht\ntps://evil.test/',
];

test.each([
  '<p style="background: url(\\2f\\2f evil.test/x)">x</p>',
  '<style>p { background: url(\\68ttps:\\/\\/evil.test/x) }</style>',
])('a link in a style is found in %j', async (html) => {
  const raw = Buffer.from('From: me@own.test\r\nSubject: x\r\n\r\nx\r\n');
  const { links } = await readJudged({ raw, recipients: [{ key: VICTIM }], html, text: null });
  expect(links).toContainEqual(expect.objectContaining({ host: 'evil.test' }));
});

test.each(LINK_FORMS)('a link outside of the policy is found in %j', async (url) => {
  const html = `<p><a href="${url}">own.test</a></p>`;
  const raw = Buffer.from(`From: me@own.test\r\nTo: ${VICTIM}\r\nSubject: x\r\n\r\nx\r\n`);
  const judged = await readJudged({ raw, recipients: [{ key: VICTIM }], html, text: null });
  const found = judged.links.filter(({ host }) => host !== 'own.test' && !host.endsWith('.own.test'));
  expect(found.length).toBeGreaterThan(0);
});
