import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../../src/testing/smtp-sink.ts';
import {
  type Walk,
  browserPath,
  chooseOption,
  expectNothingFromAxe,
  signUp,
  startWalk,
  openCampaignSettings,
  closeCampaignSettings,
  goToSendTime,
} from './walk.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
const PRIVACY_PROXY = 'Mozilla/5.0';
const PHONE = { width: 390, height: 844 };
const HTML =
  '<h1>New in November</h1><p>Three books: <a href="https://shop.example/lighthouse">The Lighthouse</a> and ' +
  '<a href="https://shop.example/harbour">The Harbour</a>.</p>';

describe.skipIf(browserPath === null)('the report of a campaign', { timeout: 120_000 }, () => {
  let sink: SmtpSink;
  let walk: Walk;
  let page: Page;
  let book: string;
  let campaignId: string;

  beforeAll(async () => {
    sink = await startSmtpSink({
      behaviour: { rcptReplies: { 'gone@two.example': '550 5.1.1 No such user' } },
    });
    walk = await startWalk({ MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` });
    page = await signUp(walk);
    await call('POST', '/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS', open_tracking = true, click_tracking = true`.execute(
      walk.server.db,
    );
    ({ id: book } = await call('POST', '/contactBooks', { name: 'Readers' }));
    const people = Array.from({ length: 20 }, (_, n) => ({
      email: `reader${n}@${n < 12 ? 'one' : 'two'}.example`,
    }));
    await call('POST', `/contactBooks/${book}/contacts/bulk`, people);
    await send('October');
    await call('POST', `/contactBooks/${book}/contacts`, { email: 'gone@two.example' });
    campaignId = await send('November');
    for (let n = 0; n < 8; n++) await visit(n, 'open', BROWSER);
    for (let n = 0; n < 4; n++) await visit(n, 'click', BROWSER);
    for (let n = 8; n < 14; n++) await visit(n, 'open', PRIVACY_PROXY);
    await vi.waitUntil(async () => {
      const { counts } = await call('GET', `/campaigns/${campaignId}/report`);
      return counts.opened === 8 && counts.clicked === 4 && counts.machineOpened === 6;
    }, 20_000);
  }, 120_000);
  afterAll(async () => {
    await walk.close();
    await sink.close();
  });

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  async function send(name: string): Promise<string> {
    sink.messages.splice(0);
    const from = 'News <news@shop.test>';
    const fields = { name, from, subject: `${name} news`, html: HTML, contactBookId: book, sendNow: true };
    const { id } = await call('POST', '/campaigns', fields);
    await vi.waitUntil(async () => (await call('GET', `/campaigns/${id}`)).status === 'SENT', {
      timeout: 30_000,
    });
    return id;
  }

  /** Follows the pixel or the first link in the email of a recipient. */
  async function visit(reader: number, what: 'open' | 'click', userAgent: string): Promise<void> {
    const isTo = ({ recipients }: { recipients: string[] }) => recipients[0]!.startsWith(`reader${reader}@`);
    const { html = '' } = await PostalMime.parse(sink.messages.findLast(isTo)!.data);
    const pattern = what === 'open' ? /src="[^"]*(\/t\/o\/[^"]*)"/ : /href="[^"]*(\/t\/c\/[^"]*)"/;
    await fetch(walk.server.url + pattern.exec(html)![1]!, {
      redirect: 'manual',
      headers: { 'user-agent': userAgent },
    });
  }

  test('shows the rates with what they are of, people and machines apart, and why emails bounced', async () => {
    await page.goto('/campaigns');
    const row = page.getByRole('listitem').filter({ hasText: 'November' });
    await row.getByText('40%').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('link', { name: 'November' }).click();
    const rates = page.locator('dl').first();
    await rates.getByText('8 of 20 delivered').waitFor();
    await expect
      .poll(async () => (await rates.innerText()).replaceAll(/\s+/g, ' '))
      .toContain('Opened 40% 8 of 20 delivered');
    await expect
      .poll(async () => (await rates.innerText()).replaceAll(/\s+/g, ' '))
      .toContain('Clicked 20% 4 of 20 delivered');
    await page.getByRole('img', { name: 'Opens over time: 8 by people, 6 by bots' }).waitFor();
    await page.getByRole('img', { name: 'Clicks over time: 4 by people, 0 by bots' }).waitFor();
    await page.getByRole('row', { name: 'one.example 12 12 0 8' }).waitFor();
    await page.getByRole('row', { name: 'Address does not exist 1' }).waitFor();
    await page.getByRole('table', { name: 'Compared' }).getByRole('link', { name: 'October' }).waitFor();
    await expectNothingFromAxe(page);
  });

  test('marks the links in the email', async () => {
    await page.getByRole('tab', { name: 'Links' }).click();
    await page.getByRole('row', { name: 'https://shop.example/lighthouse 4' }).waitFor();
    await page.frameLocator('iframe').getByText('4 · 20%').waitFor();
    await expectNothingFromAxe(page);
  });

  test('lists the recipients by state, finds them, and gives the list as a file', async () => {
    await page.getByRole('tab', { name: 'Recipients' }).click();
    await chooseOption(page.getByLabel('State'), 'Bounced');
    await page.getByRole('row', { name: /gone@two.example.*Address does not exist/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await chooseOption(page.getByLabel('State'), 'Opened');
    await page.getByPlaceholder('Search by address or name').fill('reader7');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expectNothingFromAxe(page);
    const path = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const file = await (await page.request.get(path!)).text();
    expect(file.split('\r\n').slice(1)).toEqual([expect.stringContaining('reader7@one.example,opened,'), '']);
  });

  test('works on a phone, in light and dark', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`/campaigns/${campaignId}`);
    await page.getByText('8 of 20 delivered').waitFor();
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    await expect.poll(width).toBeLessThanOrEqual(PHONE.width);
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('makes a draft for those who did not open it', async () => {
    await page.getByRole('button', { name: 'Send again to non-openers' }).click();
    await page.getByRole('button', { name: 'Send…' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await expect
      .poll(() => call('GET', `/campaigns/${id}`))
      .toMatchObject({
        name: 'November (again)',
        status: 'DRAFT',
        excludeCampaignId: campaignId,
        notOpened: true,
      });
    await openCampaignSettings(page);
    const earlier = page.getByRole('combobox', { name: 'Follow-up to' });
    await expect.poll(() => earlier.inputValue()).toBe('November');
    await expectNothingFromAxe(page);
    await closeCampaignSettings(page);
    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByText('Only those who got it and did not open it').last().waitFor();
    await goToSendTime(page);
    await page.getByRole('button', { name: 'Send now' }).click();
    await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).total).toBe(12);
  });

  test('sends at the best hour of each person, and says whether it helped', async () => {
    const from = 'News <news@shop.test>';
    const fields = { name: 'December', from, subject: 'December news', html: HTML, contactBookId: book };
    const { id } = await call('POST', '/campaigns', fields);
    await page.goto(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Send…' }).click();
    await goToSendTime(page);
    await page.getByLabel('At each person’s best hour').check();
    // Nobody waits for long: the window ends within the first hour.
    await page.getByLabel('Within hours').fill('1');
    await page.getByLabel('Control group in percent').fill('40');
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Start sending' }).click();
    await page.getByText('Each at their best hour, within 1 h').waitFor();
    expect(await call('GET', `/campaigns/${id}`)).toMatchObject({
      bestHour: { withinHours: 1, holdoutPercent: 40 },
    });
    await page.getByText('Too few people have been sent it to compare the groups yet.').waitFor();
    await page.getByRole('row', { name: /^Control group, at the start/ }).waitFor();
    await expectNothingFromAxe(page);
    expect(walk.complaints).toEqual([]);
  });
});
