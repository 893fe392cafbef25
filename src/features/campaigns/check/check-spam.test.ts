import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../testing/dns-server.ts';
import { addDomain } from '../../../testing/factories.ts';
import { startRspamdServer, type RspamdServer } from '../../../testing/servers/rspamd-server.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import type { CampaignCheck } from './check.schema.ts';

let dns: DnsServer;
let rspamd: RspamdServer;
let server: TestServer;
let team: TestTeam;
let contactBookId: string;

beforeAll(async () => {
  dns = await startDnsServer({ 'evil.example.dbl.test': { A: ['127.0.1.2'] } });
  rspamd = await startRspamdServer();
  server = await startTestServer({
    env: {
      DNS_SERVERS: dns.address,
      DNSBL_ZONES: 'domain:dbl.test',
      RSPAMD_URL: rspamd.url,
      MAIL_TRANSPORT: 'direct',
    },
  });
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
  contactBookId = (await team.call('POST', '/contactBooks', { name: 'News' })).body.id;
});
afterAll(async () => {
  await server.close();
  await rspamd.close();
  await dns.close();
});

async function check(html: string, query = ''): Promise<CampaignCheck> {
  const campaign = { name: 'C', from: 'a@shop.test', subject: 'Sale', contactBookId, html };
  const { body } = await team.call('POST', '/campaigns', campaign);
  const checked = await team.call('GET', `/campaigns/${body.id}/check${query}`);
  expect(checked.status).toBe(200);
  return checked.body;
}

const find = ({ findings }: CampaignCheck, code: string) => findings.find((finding) => finding.code === code);

test('rspamd scores the email as it would be sent, and its reasons are shown', async () => {
  const symbols = { BAD_WORDS: { score: 7, description: 'It has words of spam' }, FINE: { score: -0.1 } };
  rspamd.answer.body = { score: 6.9, required_score: 15, action: 'add header', symbols };
  const spammy = await check('<p>Buy pills</p>');
  expect(spammy.spam).toEqual({
    by: 'rspamd',
    score: 6.9,
    spamFrom: 6,
    isSpam: true,
    reasons: ['It has words of spam (BAD_WORDS, 7).'],
  });
  expect(find(spammy, 'spam_score')).toMatchObject({
    level: 'warning',
    message: 'A spam filter takes this email for spam (6.9 points, and mail is spam from 6).',
  });
  const asked = rspamd.requests.at(-1)!;
  expect(asked.headers).toMatchObject({ from: 'a@shop.test' });
  expect(asked.headers.ip).toBeUndefined();
  expect(asked.body).toMatch(/^Subject: Sale\r$/m);
  expect(asked.body).toContain('Buy pills');

  rspamd.answer.body = { score: 15, required_score: 15, action: 'reject', symbols: { GTUBE: { score: 0 } } };
  expect((await check('<p>Hello</p>')).spam!.reasons).toEqual(['The filter says: reject.']);

  rspamd.answer.body = { score: 4.5, required_score: 15, action: 'no action', symbols: {} };
  expect(find(await check('<p>Hello</p>'), 'spam_score')).toMatchObject({ level: 'advice' });
  rspamd.answer.body = { score: 0.5, required_score: 15, action: 'no action', symbols: {} };
  const fine = await check('<p>Hello</p>');
  expect([fine.spam!.isSpam, find(fine, 'spam_score')]).toEqual([false, undefined]);
  const count = rspamd.requests.length;
  expect((await check('<p>Hello</p>', '?links=false')).spam).toBeNull();
  expect(rspamd.requests).toHaveLength(count);
});

test('domains of links on a blocklist are named', async () => {
  const listed = await check(
    '<a href="https://www.evil.example/x?y">Sale</a> <a href="https://good.example/">Good</a> <a href="https://192.0.2.1/">x</a>',
  );
  expect(find(listed, 'listed_links')).toMatchObject({
    level: 'warning',
    places: ['evil.example (dbl.test)'],
  });
  expect(find(await check('<a href="https://good.example/">Good</a>'), 'listed_links')).toBeUndefined();
});

test('an email of images without a text is noticed', async () => {
  const image = '<img src="https://good.example/a.png" alt="A bicycle">';
  expect(find(await check(`<p>Hi</p>${image}`), 'mostly_images')).toMatchObject({ level: 'advice' });
  expect(find(await check(`<p>${'A sentence. '.repeat(30)}</p>${image}`), 'mostly_images')).toBeUndefined();
  expect(find(await check('<p>Hi</p>'), 'mostly_images')).toBeUndefined();
});

test('without https nobody can unsubscribe with one click', async () => {
  const checked = await check('<p>Hi</p>');
  expect([checked.oneClick, find(checked, 'no_one_click')?.level]).toEqual([false, 'warning']);
});

test('a filter that does not answer gives no score', async () => {
  rspamd.answer.status = 500;
  const checked = await check('<p>Hi</p>');
  expect([checked.spam, find(checked, 'spam_score')]).toEqual([null, undefined]);
});
