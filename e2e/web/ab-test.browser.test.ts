import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { storeLedgerEmails } from '../../src/features/sending/ledger/store-emails.ts';
import {
  browserPath,
  chooseOption,
  expectNothingFromAxe,
  signUp,
  startWalk,
  type Walk,
  openCampaignSettings,
  closeCampaignSettings,
  goToSendTime,
} from './walk.ts';

const PHONE = { width: 390, height: 844 };

describe.skipIf(browserPath === null)('an A/B test', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let campaignId: string;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    await call('POST', '/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS', open_tracking = true`.execute(
      walk.server.db,
    );
    const { id: book } = await call('POST', '/contactBooks', { name: 'Readers' });
    const people = Array.from({ length: 20 }, (_, n) => ({ email: `reader${n}@one.example` }));
    await call('POST', `/contactBooks/${book}/contacts/bulk`, people);
    const content = JSON.stringify({
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Three books' }] }],
    });
    ({ id: campaignId } = await call('POST', '/campaigns', {
      name: 'November',
      from: 'News <news@shop.test>',
      subject: 'New in November',
      content,
      contactBookId: book,
    }));
  }, 60_000);
  afterAll(() => walk.close());

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  const stored = () => call('GET', `/campaigns/${campaignId}`);
  const variant = (letter: string) => page.getByRole('group', { name: `Variant ${letter}` });

  test('is set up in the draft, with a subject, a sender and content of its own', async () => {
    await page.goto(`/campaigns/${campaignId}`);
    await openCampaignSettings(page);
    await page.getByRole('switch', { name: 'A/B test' }).click();
    await page.getByText('Two variants are the same').waitFor();
    await variant('B').getByLabel('Subject').fill('Three books for you');
    await variant('B').getByLabel('From').fill('Bee <bee@elsewhere.test>');
    await page.getByText('From must use a domain that your team has verified').waitFor();
    await variant('B').getByLabel('From').fill('Bee <bee@shop.test>');
    await chooseOption(variant('B').getByLabel('Content'), 'Different content');
    await closeCampaignSettings(page);
    await page.getByRole('tab', { name: 'Content of B' }).click();
    const editor = page
      .getByRole('tabpanel', { name: 'Content of B' })
      .getByRole('textbox', { name: 'Message' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and more');
    await openCampaignSettings(page);
    await page.getByLabel('Recipients in the test').fill('50');
    await chooseOption(page.getByLabel('Choose the winner by'), 'Your own choice');
    await expectNothingFromAxe(page);
    await expect
      .poll(async () => {
        const { variants, testPercent, decideBy } = await stored();
        return { variants, testPercent, decideBy };
      })
      .toEqual({
        variants: [
          { subject: 'New in November', from: null, previewText: null, html: null, content: null },
          {
            subject: 'Three books for you',
            from: 'Bee <bee@shop.test>',
            previewText: null,
            html: null,
            content: expect.stringContaining('Three books and more'),
          },
        ],
        testPercent: 50,
        decideBy: 'person',
      });
    await page.getByRole('button', { name: 'Add variant' }).click();
    await variant('C').getByLabel('Subject').fill('A third');
    await expect.poll(async () => (await stored()).variants.length).toBe(3);
    await page.getByRole('button', { name: 'Remove variant C' }).click();
    await expect.poll(async () => (await stored()).variants.length).toBe(2);
    await page.setViewportSize(PHONE);
    await expect
      .poll(() => page.evaluate('document.documentElement.scrollWidth'))
      .toBeLessThanOrEqual(PHONE.width);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('is previewed variant by variant', async () => {
    await page.reload();
    await page.getByRole('tab', { name: 'Preview' }).click();
    await chooseOption(page.getByLabel('Variant', { exact: true }), 'Variant B');
    await page.frameLocator('iframe').getByText('Three books and more').waitFor();
    await page.getByRole('paragraph').filter({ hasText: 'Three books for you' }).waitFor();
  });

  test('compares the variants, and sends the one that a person chooses to the rest', async () => {
    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByText('2 variants to 50% of the recipients').waitFor();
    await goToSendTime(page);
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Choose the variant that everyone else gets').waitFor();
    const table = page.getByRole('table', { name: 'A/B test' });
    await table.getByRole('row', { name: /B Three books for you 5 5/ }).waitFor();
    const { db } = walk.server;
    const { rows } = await sql<{ teamId: number; emailId: string }>`
      select team_id as "teamId", id as "emailId" from all_emails where subject = 'Three books for you' limit 1
    `.execute(db);
    await storeLedgerEmails(db, rows);
    await sql`update emails set opened_at = now() where id = ${rows[0]!.emailId}`.execute(db);
    await table.getByRole('row', { name: /B Leading.*20% \(1\)/ }).waitFor();
    await expectNothingFromAxe(page);
    await table
      .getByRole('row', { name: /Three books/ })
      .getByRole('button', { name: 'Choose' })
      .click();
    await page.getByRole('dialog').getByText('10 recipients get this variant').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Choose variant B' }).click();
    await page.getByText('Everyone else gets variant B.').waitFor();
    await table.getByRole('row', { name: /B Winner/ }).waitFor();
    await vi.waitUntil(async () => (await stored()).status === 'SENT', { timeout: 30_000 });
    await table.getByRole('row', { name: /B Winner Three books for you 15 15/ }).waitFor();
    await expectNothingFromAxe(page);
    expect(walk.complaints).toEqual([]);
  });
});
