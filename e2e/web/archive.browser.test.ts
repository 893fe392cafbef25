import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  browserPath,
  chooseAction,
  chooseOption,
  expectNothingFromAxe,
  signUp,
  startWalk,
  type Walk,
  openCampaignSettings,
  goToSendTime,
} from './walk.ts';

const PHONE = { width: 390, height: 844 };

describe.skipIf(browserPath === null)(
  'emails for everyone, and at the right time',
  { timeout: 120_000 },
  () => {
    let walk: Walk;
    let page: Page;
    let book: string;

    beforeAll(async () => {
      walk = await startWalk();
      page = await signUp(walk);
      await call('POST', '/domains', { name: 'shop.test' });
      await sql`update domains set held = true, status = 'SUCCESS'`.execute(walk.server.db);
      ({ id: book } = await call('POST', '/contactBooks', { name: 'Readers' }));
      const people = Array.from({ length: 3 }, (_, n) => ({ email: `reader${n}@one.example` }));
      await call('POST', `/contactBooks/${book}/contacts/bulk`, people);
    }, 60_000);
    afterAll(() => walk.close());

    async function call(method: string, path: string, data?: unknown) {
      const headers = { origin: walk.server.url };
      const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
      expect(answer.status()).toBe(200);
      return answer.json();
    }

    async function draft(name: string): Promise<string> {
      const fields = {
        name,
        from: 'News <news@shop.test>',
        subject: `${name} news`,
        html: '<p>Dear {{firstName,fallback=friend}}</p>',
      };
      return (await call('POST', '/campaigns', { ...fields, contactBookId: book })).id;
    }

    test('a menu that is pressed while the next page loads is the menu of the next page', async () => {
      // Both pages have a button "More actions". The script of the next page arrives after the press has begun.
      await page.goto(`/campaigns/${await draft('February')}`);
      await openCampaignSettings(page);
      const link = page.getByRole('link', { name: 'Open Readers' });
      await link.waitFor();
      let send!: () => void;
      const isSent = new Promise<void>((resolve) => (send = resolve));
      await page.route(/\/contacts-page-/, async (route) => {
        await isSent;
        await route.continue();
      });
      await link.click();
      const pressed = chooseAction(page, 'Public archive');
      const isTaken = page.getByRole('menu').waitFor({ timeout: 1_000 });
      await isTaken.then(
        () => expect.fail('the page that is being left has opened its menu'),
        () => send(),
      );
      await pressed;
      await page.getByRole('dialog').waitFor();
      await page.unroute(/\/contacts-page-/);
    });

    test('a book gets an archive, an email is shown in it, and is taken out again', async () => {
      const id = await draft('November');
      await page.goto(`/campaigns/${id}`);
      await openCampaignSettings(page);
      const show = page.getByRole('switch', { name: 'Show in the archive' });
      await expect.poll(() => show.isDisabled()).toBe(true);
      await expectNothingFromAxe(page);
      // The hint leads to the book.
      await page.getByRole('link', { name: 'Open Readers' }).click();
      await chooseAction(page, 'Public archive');
      await page.getByRole('switch', { name: 'Publish the archive' }).click();
      await page.getByLabel('Title').fill('Letters from the harbour');
      await expectNothingFromAxe(page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Archive saved').waitFor();
      await page.goto(`/campaigns/${id}`);
      await openCampaignSettings(page);
      await show.click();
      await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).showInArchive).toBe(true);
      await call('POST', `/campaigns/${id}/schedule`, {});
      await vi.waitUntil(async () => (await call('GET', `/campaigns/${id}`)).status === 'SENT', 60_000);

      const visitor = await walk.visit(`/a/${book}`, PHONE);
      await visitor.getByRole('heading', { name: 'Letters from the harbour' }).waitFor();
      await visitor.goto(`/a/${book}/${id}`);
      await visitor.getByText('Dear friend').waitFor();
      await expect
        .poll(() => visitor.evaluate('document.documentElement.scrollWidth'))
        .toBeLessThanOrEqual(PHONE.width);

      await page.goto(`/campaigns/${id}`);
      await page.getByRole('tab', { name: 'Preview' }).click();
      await page.getByRole('link', { name: 'View in the archive' }).waitFor();
      await page.getByRole('switch', { name: 'Show in the archive' }).click();
      await page.getByText('Removed from the archive').waitFor();
      await visitor.reload();
      await visitor.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    });

    test('a campaign is scheduled for the local time of its readers', async () => {
      const id = await draft('December');
      await page.goto(`/campaigns/${id}`);
      await page.getByRole('button', { name: 'Send…' }).click();
      await goToSendTime(page);
      await chooseOption(page.getByLabel('When'), 'At each recipient’s local time');
      await page.getByLabel('Date and time (recipient’s local time)').fill('2035-06-01T09:00');
      await expectNothingFromAxe(page);
      await page.getByRole('button', { name: 'Schedule' }).click();
      await page.getByText('Sent at each recipient’s local time, 1 Jun 2035, 09:00').waitFor();
      expect(await call('GET', `/campaigns/${id}`)).toMatchObject({
        status: 'SCHEDULED',
        localTime: '2035-06-01T09:00',
      });
    });

    test('an earlier campaign is found by its name among all of them', async () => {
      await sql`
      insert into campaigns select (jsonb_populate_record(c, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'Letter ' || n, 'subject', 'Other', 'show_in_archive', false
      ))).* from campaigns c, generate_series(1, 40) n where c.name = 'November'
    `.execute(walk.server.db);
      const id = await draft('January');
      await page.goto(`/campaigns/${id}`);
      await openCampaignSettings(page);
      const field = page.getByRole('combobox', { name: 'Follow-up to' });
      await field.click();
      await field.fill('novem');
      await page.getByRole('option', { name: 'November' }).click();
      await expect
        .poll(async () => (await call('GET', `/campaigns/${id}`)).excludeCampaignId)
        .toMatch(/^cmp_/);
      await expect.poll(() => field.inputValue()).toBe('November');
      await expectNothingFromAxe(page);
      await field.click();
      await page.getByRole('option', { name: 'No earlier campaign' }).click();
      await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).excludeCampaignId).toBeNull();
      expect(walk.complaints).toEqual([]);
    });
  },
);
