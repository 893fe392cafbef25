import { expect, test } from 'vitest';
import { describeKey, type DescribedKey } from './describe-key.ts';

const AGENT: DescribedKey = {
  kind: 'agent',
  rights: 'scoped',
  scopes: ['mail.read', 'mail.draft', 'mail.reply'],
  mailboxes: ['support@shop.example'],
  domains: [],
  books: [],
  policy: { mode: 'approve_all' },
  expiresAt: null,
  allowedIps: [],
};
const say = (changes: Partial<DescribedKey>) => describeKey({ ...AGENT, ...changes });

test('an agent of a mailbox', () => {
  expect(say({})).toBe(
    'This key can read mail, write drafts and reply in conversations in support@shop.example; nothing leaves without approval.',
  );
  expect(say({ scopes: ['mail.read', 'mail.draft'] })).toBe(
    'This key can read mail and write drafts in support@shop.example; nothing leaves.',
  );
  expect(say({ mailboxes: [] })).toContain('in all shared mailboxes');
});

test('what leaves depends on the policy', () => {
  expect(say({ policy: { mode: 'draft_only' } })).toContain('nothing leaves: a person sends its drafts.');
  expect(say({ policy: { mode: 'approve_new' } })).toContain('does not know wait for approval.');
  expect(say({ policy: { mode: 'free' } })).toContain('it sends by itself within its policy.');
  expect(say({ policy: null })).toContain('it needs a send policy.');
  expect(say({ kind: 'application', policy: null })).toContain('it sends by itself, to anyone.');
});

test('keys without scopes', () => {
  const application = { kind: 'application', policy: null, mailboxes: [] } as const;
  expect(say({ ...application, rights: 'full' })).toBe(
    'This key can do everything that the API offers; it sends by itself, to anyone.',
  );
  expect(say({ ...application, rights: 'sending', domains: ['shop.example'] })).toBe(
    'This key can send emails through the API and SMTP with shop.example; it sends by itself, to anyone.',
  );
});

test('each group of scopes has its own bounds', () => {
  expect(
    say({
      scopes: ['mail.read', 'contacts.write', 'campaigns.send', 'audit.read'],
      books: ['News', 'Shop'],
      domains: ['shop.example'],
      policy: { mode: 'free' },
    }),
  ).toBe(
    'This key can read mail in support@shop.example, add and change contacts of News and Shop and send campaigns and read the audit and request logs with shop.example; it sends by itself within its policy.',
  );
});

test('when and from where it works', () => {
  expect(say({ expiresAt: '2027-01-31T09:30:00.000Z', allowedIps: ['192.0.2.7', '2001:db8::/32'] })).toMatch(
    / It ends on 31 Jan 2027\. It works only from 192\.0\.2\.7 and 2001:db8::\/32\.$/,
  );
});
