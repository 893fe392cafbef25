import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
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
    const url = 'https://hooks.shop.example/mail';
    await page.request.post('/api/v1/webhooks', { headers, data: { url, events: ['contact.created'] } });
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
});
