import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  deleteRelayFailure,
  saveRelayFailure,
} from '../../src/features/delivery/transports/relay-failures.ts';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('notices', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  });
  afterAll(() => walk.close());

  test('an import that does not move and a webhook that fails are told of above every page, with a way there', async () => {
    const headers = { origin: walk.server.url };
    const made = await page.request.post('/api/v1/contactBooks', { headers, data: { name: 'Readers' } });
    const { id: bookId } = await made.json();
    const url = 'https://hooks.shop.example/mail?…';
    const hook = { url: 'https://hooks.shop.example/mail?token=sesame', events: ['contact.created'] };
    await page.request.post('/api/v1/webhooks', { headers, data: hook });
    await sql`
      update webhooks set status = 'paused', paused_reason = 'failures', failures = 30, last_error = 'dns',
        failing_since = now() - interval '2 days'`.execute(walk.server.db);
    const data = { email: 'ada@example.org' };
    await page.request.post(`/api/v1/contactBooks/${bookId}/contacts`, { headers, data });
    await sql`
      insert into contact_imports (team_id, contact_book_id, id, status, mapping, requested_by, total_bytes, updated_at)
      select team_id, id, make_uuid(), 'RUNNING', '{}', 'test', 100, now() - interval '2 hours' from contact_books
      where name = 'Readers'`.execute(walk.server.db);
    await page.goto('/domains');
    const notices = page.getByRole('status').getByRole('listitem');
    const failing = notices.filter({ hasText: url });
    await failing
      .getByText(`Deliveries to the webhook ${url} are failing: the host name was not found.`)
      .waitFor();
    const stopped = notices.filter({ hasText: 'The import into "Readers" is stalled.' });
    await stopped.getByText(/Since \d+ \w+ \d+, [\d:]+ UTC\S*\. View import/).waitFor();
    await expectNothingFromAxe(page);
    await stopped.getByRole('link', { name: 'View import' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await failing.getByRole('link', { name: 'View webhook' }).click();
    await page.getByRole('heading', { name: url }).waitFor();
  });

  test('a relay that refuses mail is reported until it works again', async () => {
    await saveRelayFailure(
      walk.server.db,
      { relay: 'smtp://posthorn@relay.shop.example:587', regions: null },
      '535 5.7.8 Authentication failed',
    );
    await page.goto('/domains');
    const notice = page.getByRole('status').getByRole('listitem').filter({ hasText: 'relay.shop.example' });
    await notice
      .getByText(
        'The relay relay.shop.example:587 does not accept email: 535 5.7.8 Authentication failed. Email is kept and retried.',
      )
      .waitFor();
    expect(await notice.textContent()).not.toContain('posthorn@');
    await expectNothingFromAxe(page);
    await notice.getByRole('link', { name: 'View emails' }).click();
    await page.waitForURL('**/emails');
    await deleteRelayFailure(walk.server.db, 'smtp://posthorn@relay.shop.example:587');
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Retention' }).waitFor();
    await notice.waitFor({ state: 'detached' });
  });

  test('an owner sets how long data is kept, within the limits of the server', async () => {
    await page.goto('/settings');
    const form = page.locator('form').filter({ has: page.getByLabel('Sandbox messages') });
    const save = form.getByRole('button', { name: 'Save' });
    const sandbox = form.getByLabel('Sandbox messages');
    expect(await save.isDisabled()).toBe(true);
    await form.getByText('Setting of this server: 30 days').waitFor();
    // The browser rejects more than the server allows, and so does the server.
    await sandbox.fill('31');
    await save.click();
    await sandbox.and(page.locator('input:invalid')).waitFor();
    await sandbox.fill('7');
    await form.getByLabel('Email content').fill('90');
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    expect(await sandbox.inputValue()).toBe('7');
    expect(await form.getByLabel('Email content').inputValue()).toBe('90');
    await expectNothingFromAxe(page);
    // An empty field returns to the limit of the server.
    await sandbox.fill('');
    await save.click();
    await expect
      .poll(async () => (await (await page.request.get('/api/v1/team')).json()).sandboxDays)
      .toBe(null);
  });
});
