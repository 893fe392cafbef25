import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSmtpSink, type SmtpSink } from '../../src/testing/smtp-sink.ts';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

const RECIPIENTS = ['ada@one.example', 'bob@two.example', 'eve@two.example'];

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('the queue', { timeout: 90_000 }, () => {
  let walk: Walk;
  let sink: SmtpSink;
  let page: Page;

  beforeAll(async () => {
    sink = await startSmtpSink({ behaviour: { replies: { RCPT: '451 4.3.0 The mailbox is busy' } } });
    walk = await startWalk({ MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` });
    page = await signUp(walk);
    const post = (path: string, data: unknown) =>
      page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    await post('/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS'`.execute(walk.server.db);
    for (const to of RECIPIENTS)
      await post('/emails', { from: 'hello@shop.test', to, subject: 'Your order', text: 'x' });
  });
  afterAll(async () => {
    await walk.close();
    await sink.close();
  });

  async function choose(recipient: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${recipient}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  const row = (recipient: string) => page.getByRole('row').filter({ hasText: recipient });

  test('shows what waits, with the last reply, also on a phone', async () => {
    await page.getByRole('link', { name: 'Queue' }).click();
    for (const to of RECIPIENTS) {
      await row(to).getByText('451 4.3.0 The mailbox is busy').filter({ visible: true }).waitFor();
    }
    await page.getByText('3 deliveries', { exact: true }).waitFor();
    await expectNothingFromAxe(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNothingFromAxe(page);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('holds and releases one delivery', async () => {
    await choose('ada@one.example', 'Hold');
    await page.getByText('1 delivery held').waitFor();
    await row('ada@one.example').getByText('Held', { exact: true }).filter({ visible: true }).waitFor();
    await page.getByText('3 deliveries, 1 held', { exact: true }).waitFor();
    await chooseOption(page.getByLabel('On hold'), 'Held');
    await row('bob@two.example').waitFor({ state: 'detached' });
    await chooseOption(page.getByLabel('On hold'), 'All deliveries');
  });

  test('drops a delivery after a question, and all that the filters select', async () => {
    await choose('bob@two.example', 'Drop…');
    await page.getByRole('dialog').getByText('Drop the delivery to bob@two.example?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await row('bob@two.example').waitFor();
    await page.getByPlaceholder('Recipient’s domain').fill('two.example');
    await row('ada@one.example').waitFor({ state: 'detached' });
    await page.getByText('2 deliveries', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change all in this list' }).click();
    await page.getByRole('menuitem', { name: 'Drop…' }).click();
    await page.getByRole('dialog').getByText('Drop 2 deliveries?').waitFor();
    await page.getByRole('button', { name: 'Drop', exact: true }).click();
    await page.getByText('2 deliveries dropped').waitFor();
    await page.getByText('No matching deliveries').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row('ada@one.example').waitFor();
  });

  test('sends a released delivery, and the queue is empty', async () => {
    sink.behave({ replies: {} });
    await choose('ada@one.example', 'Release');
    await page.getByText('The queue is empty').waitFor();
    expect(sink.messages.map(({ recipients }) => recipients[0])).toEqual(['ada@one.example']);
    expect(walk.complaints).toEqual([]);
  });
});
