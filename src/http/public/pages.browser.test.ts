import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPublicLinks, hashAddress, type PublicLinks } from '../../features/content/links/links.ts';
import { loadInstanceSecret } from '../../platform/crypto.ts';
import { decodeId } from '../../platform/ids.ts';
import { findViolations } from '../../testing/axe.ts';
import { findBrowser, shareBrowser } from '../../testing/browser.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';
import { chooseLanguage } from './texts.ts';

const program = findBrowser();

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.5, fr;q=0.7', 'fr'],
  ['ja, nl;q=0.2, es;q=0', 'nl'],
  ['ja', 'en'],
  ['constructor, __proto__;q=1', 'en'],
  [',;q=,;;', 'en'],
])('Accept-Language %j selects %s', (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});

describe.skipIf(!program)('in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let team: TestTeam;
  let links: PublicLinks;
  let book: string;
  let contactId: string;

  beforeAll(async () => {
    server = await startTestServer();
    browser = await shareBrowser(program!);
    team = await server.createTeam();
    links = createPublicLinks(loadInstanceSecret(server.config.dataDir), server.url);
    const input = { name: 'Harbour News', doubleOptInEnabled: true };
    book = (await team.call('POST', '/contactBooks', input)).body.id;
    const email = 'ada@example.org';
    contactId = (await team.call('POST', `/contactBooks/${book}/contacts`, { email })).body.contactId;
    for (const name of ['News', 'Jobs']) await team.call('POST', '/topics', { name, description: 'Monthly' });
  }, 60_000);
  afterAll(() => server.close());

  function ref() {
    return {
      teamId: team.teamId,
      contactBookId: decodeId('cbk', book)!,
      contactId: decodeId('con', contactId)!,
    };
  }

  async function formUrl(more: object): Promise<string> {
    const { body } = await team.call('POST', '/forms', { name: 'Home', contactBookId: book, ...more });
    return `${server.url}/f/${body.id}`;
  }

  test('every page passes axe in light and dark mode and violates no content security policy', async () => {
    const topicId = decodeId('top', (await team.call('GET', '/topics')).body.items[0].id);
    const nothing = { emailId: null, campaignId: null, topicId: null };
    const addressHash = hashAddress('ada@example.org');
    const urls = [
      links.unsubscribe({ ...ref(), ...nothing }),
      links.unsubscribe({ ...ref(), ...nothing, topicId }),
      links.preferences(ref()),
      links.confirm({ ...ref(), addressHash, expiresAt: new Date(Date.now() + 60_000) }),
      links.confirm({ ...ref(), addressHash, expiresAt: new Date(0) }),
      `${server.url}/u/cut`,
      await formUrl({
        fields: ['firstName', { name: 'lastName', required: true }],
        texts: { note: 'Monthly' },
      }),
      await formUrl({ colors: { background: '#102a43', button: '#f0b429' } }),
      await formUrl({ colors: { text: '#102a43', button: '#0b5d3b' } }),
      `${server.url}/f/cut`,
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 700 } });
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      for (const url of urls) {
        await page.goto(url);
        expect([url, await findViolations(page)]).toEqual([url, []]);
        await expect
          .poll(() => page.evaluate('document.documentElement.scrollWidth > innerWidth'))
          .toBe(false);
      }
      expect(complaints.filter((text) => !/status of (404|410)/.test(text))).toEqual([]);
      await page.close();
    }
  });

  test('the buttons work without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const addressHash = hashAddress('ada@example.org');
    await page.goto(links.confirm({ ...ref(), addressHash, expiresAt: new Date(Date.now() + 60_000) }));
    await page.getByRole('button').click();
    await expect.poll(() => page.getByRole('heading').textContent()).toBe('Thank you');

    await page.goto(links.preferences(ref()));
    await page.getByLabel('Jobs').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByRole('heading').textContent()).toBe('Saved');
    await expect.poll(() => page.getByLabel('Jobs').isChecked()).toBe(false);
    await expect.poll(() => page.getByLabel('News').isChecked()).toBe(true);

    await page.getByRole('button', { name: 'Unsubscribe from all emails' }).click();
    await expect.poll(() => page.getByRole('heading').textContent()).toBe('You have been unsubscribed');
    const { body } = await team.call('GET', `/contactBooks/${book}/contacts/${contactId}`);
    expect(body).toMatchObject({ subscribed: false, unsubscribeReason: 'UNSUBSCRIBED' });
    await context.close();
  }, 60_000);

  test('a form works without scripts in a frame of another site, and leads to redirectUrl', async () => {
    const other = server.url.replace('127.0.0.1', 'localhost');
    const url = await formUrl({
      redirectUrl: `${other}/healthz`,
      fields: [{ name: 'firstName', required: true }],
    });
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${url}" width="400" height="500"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Email address').fill('grace@example.org');
    await frame.getByLabel('First name').fill('Grace');
    await frame.getByRole('button', { name: 'Subscribe' }).click();
    await expect.poll(() => page.frames()[1]?.url()).toBe(`${other}/healthz`);
    expect(complaints).toEqual([]);
    const { body } = await team.call('GET', `/contactBooks/${book}/contacts?email=grace@example.org`);
    expect(body.items).toMatchObject([{ firstName: 'Grace', subscribed: false }]);
    await context.close();
    site.close();
  }, 60_000);
});
