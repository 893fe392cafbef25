/** Imports from a server that responds as Mailchimp documents it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { contactsOf, runImport, startVendor, stateAfterImport } from '../../testing/fixtures/run-import.ts';
import { OtherAnswer, startVendorServer } from '../../testing/servers/vendor-server.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { importCommand } from './import.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const run = (args: string[]) => runImport(server, args);

const page = <Entry>(entries: Entry[], from: number, size: number) => entries.slice(from, from + size);

const MEMBERS = [
  [
    'ada@example.com',
    'subscribed',
    { FNAME: 'Ada', LNAME: 'Lovelace', ADDRESS: { city: 'London', zip: '' } },
  ],
  ['bob@example.com', 'unsubscribed', { FNAME: 'Bob' }],
  ['cleo@example.com', 'cleaned', {}],
  ['dan@example.com', 'pending', {}],
  ['eve@example.com', 'transactional', {}],
  ['not an address', 'subscribed', {}],
] as const;

function mailchimp(isDown: () => boolean = () => false) {
  const members = MEMBERS.map(([email_address, status, merge_fields], index) => ({
    email_address,
    status,
    merge_fields,
    unsubscribe_reason: status === 'unsubscribed' ? 'I no longer want these emails' : '',
    tags: index === 0 ? [{ id: 1, name: 'VIP' }] : [],
    interests: { i1: index === 0, i2: false },
    timestamp_opt: '2021-03-04T05:06:07+00:00',
    ip_opt: '192.0.2.7',
  }));
  return startVendor((path, query, request) => {
    const [, key] = Buffer.from(request.headers.authorization!.slice(6), 'base64').toString().split(':');
    if (key !== 'good-us21')
      return new OtherAnswer(401, { title: 'API Key Invalid', detail: 'Your API key may be invalid.' });
    const offset = Number(query.get('offset'));
    switch (path) {
      case '/lists':
        return {
          lists: page([{ id: 'a1', name: 'Friends', double_optin: false }], offset, 100),
          total_items: 1,
        };
      case '/lists/a1/members': {
        if (query.get('status') === 'pending') return { members: [members[3]], total_items: 1 };
        if (isDown() && offset > 0) return new OtherAnswer(503);
        // A vendor may return smaller pages than requested.
        return { members: page(members, offset, 2), total_items: members.length };
      }
      case '/lists/a1/interest-categories':
        return { categories: page([{ id: 'c1', title: 'Topics' }], offset, 10), total_items: 1 };
      case '/lists/a1/interest-categories/c1/interests':
        return {
          interests: page(
            [
              { id: 'i1', name: 'Sailing' },
              { id: 'i2', name: 'Chess' },
            ],
            offset,
            10,
          ),
          total_items: 2,
        };
      case '/verified-domains':
        return { domains: [{ domain: 'news.friends.example', verified: true }], total_items: 1 };
      default:
        return undefined;
    }
  });
}

test('a Mailchimp account is imported with consent, once', async () => {
  const team = await server.createTeam();
  const { url } = await mailchimp();
  const args = ['mailchimp', '--team', String(team.teamId), '--key', 'good-us21', '--url', url];

  const dry = await run([...args, '--dry-run']);
  expect(dry).toMatch(/contacts +6 +5 +0 +0 +1/);
  expect(await stateAfterImport(team)).toMatchObject({ books: [], domains: [], segments: { items: [] } });

  const printed = await run(args);
  expect(printed).toMatch(/contacts +6 +5 +0 +0 +1/);
  expect(printed).toContain('not an address: email must be a valid email address.');
  expect(printed).toMatch(/Publish these DNS records for news\.friends\.example.*\n +TXT +ph1\._domainkey/);
  const { id, items } = await contactsOf(team, 'Friends');
  const byEmail = Object.fromEntries(items.map((each) => [each.email, each]));
  expect(byEmail['ada@example.com']).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
    subscribed: true,
    properties: {
      ADDRESS_city: 'London',
      CONFIRM_TIME: '2021-03-04T05:06:07+00:00',
      CONFIRM_IP: '192.0.2.7',
    },
    consent: {
      source: 'import',
      by: 'command',
      note: expect.stringMatching(/^Imported from Mailchimp, list Friends \(a1\), on \d{4}-\d\d-\d\d$/),
    },
  });
  expect(byEmail['bob@example.com']).toMatchObject({
    subscribed: false,
    unsubscribeReason: 'I no longer want these emails',
    consent: null,
  });
  expect(byEmail['cleo@example.com']).toMatchObject({ subscribed: false, unsubscribeReason: 'BOUNCED' });
  // Mailchimp has pending members, so the book has double opt-in.
  expect(byEmail['dan@example.com']).toMatchObject({
    subscribed: false,
    unsubscribeReason: null,
    consent: null,
  });
  expect(byEmail['eve@example.com']).toMatchObject({
    subscribed: false,
    unsubscribeReason: 'NEVER_SUBSCRIBED',
  });

  const state = await stateAfterImport(team);
  expect(state.suppressions.items).toMatchObject([{ email: 'cleo@example.com', reason: 'HARD_BOUNCE' }]);
  expect(state.domains).toMatchObject([{ name: 'news.friends.example', status: 'NOT_STARTED' }]);
  expect(state.segments.items.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'Topics: Sailing',
    'VIP',
  ]);
  expect((await team.call('GET', `/contactBooks/${id}`)).body).toMatchObject({
    doubleOptInEnabled: true,
    variables: expect.arrayContaining(['ADDRESS_city', 'CONFIRM_TIME']),
  });
  // The import sent no email.
  expect((await team.call('GET', '/emails')).body.items).toEqual([]);

  const again = await run(args);
  expect(again).toMatch(/contacts +6 +0 +0 +5 +1/);
  expect(await stateAfterImport(team)).toEqual(state);
});

test('an interrupted import continues where it stopped', async () => {
  const team = await server.createTeam();
  let isDown = true;
  const { url, requests } = await mailchimp(() => isDown);
  const args = ['mailchimp', '--team', String(team.teamId), '--key', 'good-us21', '--url', url];
  await expect(run(args)).rejects.toMatchObject({
    name: 'AppError',
    message: expect.stringMatching(/^Mailchimp at http:\S+ is not available \(503\)\. Run the same command/),
  });
  expect((await contactsOf(team, 'Friends')).items).toHaveLength(2);
  isDown = false;
  requests.length = 0;
  expect(await run(args)).toContain('Continuing the import that stopped at');
  const pages = requests.filter((path) => path.includes('/members?') && !path.includes('status=pending'));
  expect(pages.map((path) => new URL(path, 'http://x').searchParams.get('offset'))).toEqual(['2', '4', '6']);
  expect((await contactsOf(team, 'Friends')).items).toHaveLength(5);
});

test('a wrong key, another server and a refused connection are errors of one line', async () => {
  const { teamId } = await server.createTeam();
  const { url, close } = await startVendorServer((path, query) =>
    path === '/html/lists'
      ? '<html>'
      : path === '/odd/lists'
        ? { lists: [{ id: 7 }] }
        : new OtherAnswer(401, { detail: `Bad\nkey ${query.get('count')}` }),
  );
  const at = (path: string) =>
    run(['mailchimp', '--team', String(teamId), '--key', 'k', '--url', `${url}${path}`]);
  await expect(at('')).rejects.toMatchObject({
    message: expect.stringMatching(/^Mailchimp refused the key \(401: Bad key 500\)\. .*$/),
  });
  await expect(at('/html')).rejects.toMatchObject({
    message: expect.stringMatching(/^Mailchimp at \S+ did not answer with JSON/),
  });
  await expect(at('/odd')).rejects.toMatchObject({
    message: expect.stringMatching(/unknown form: lists\.0\.id must be a string\.$/),
  });
  await close();
  await expect(at('')).rejects.toMatchObject({
    message: expect.stringMatching(/^Mailchimp at \S+ is not available \(ECONNREFUSED\)/),
  });
});

test('wrong options are explained', async () => {
  const config = loadConfig({});
  const refused = (args: string[]) => expect(importCommand(args, config)).rejects;
  await refused(['sendmail']).toThrow(
    'Unknown subcommand "sendmail". Use one of resend, mailgun, listmonk, mailchimp, imap.',
  );
  await refused(['resend', '--team', '1']).toThrow('--key is missing.');
  await refused(['resend', '--team', '1', '--file', 'x.csv']).toThrow('--file is only for exports');
  await refused(['listmonk', '--team', '1', '--key', 'x', '--url', 'http://x']).toThrow('USER:TOKEN');
  await refused(['mailchimp', '--team', '1', '--key', 'x']).toThrow('ends with its data center');
  await refused(['mailgun', '--team', '1', '--key', 'x', '--url', 'ftp://x']).toThrow(
    'not the URL of an HTTP API',
  );
  await refused(['mailgun', '--team', '1', '--key', 'x', '--consent', 'ask']).toThrow('confirmed or none');
});
