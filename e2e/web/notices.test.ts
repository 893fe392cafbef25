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

  test('an import that does not move is told of above every page', async () => {
    const headers = { origin: walk.server.url };
    await page.request.post('/api/v1/contactBooks', { headers, data: { name: 'Readers' } });
    await sql`
      insert into contact_imports (team_id, contact_book_id, id, status, mapping, requested_by, updated_at)
      select team_id, id, make_uuid(), 'RUNNING', '{}', 'test', now() - interval '2 hours' from contact_books
      where name = 'Readers'`.execute(walk.server.db);
    await page.goto('/domains');
    await page.getByText('The import into "Readers" has stopped moving. Since').waitFor();
    await expectNothingFromAxe(page);
  });
});
