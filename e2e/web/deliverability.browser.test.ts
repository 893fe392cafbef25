import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../src/testing/factories.ts';
import { browserPath, expectNothingFromAxe, goWithin, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('deliverability', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let domainId: number;

  beforeAll(async () => {
    walk = await startWalk({
      EGRESS_SECOND: 'direct:192.0.2.7#mail2.shop.example',
      EGRESS_POOL_NEWS: 'second:1',
      DNS_SERVERS: '127.0.0.1:9',
    });
    page = await signUp(walk);
    const { team } = await (await page.request.get('/api/v1/auth/session')).json();
    domainId = await addDomain(walk.server.db, team.id, 'shop.test');
  });
  afterAll(() => walk.close());

  test('the brake of a domain is released with a reason', async () => {
    const cause = { measure: 'hard_bounces', window: 'day', cases: 64, outOf: 812, campaignId: null };
    await sql`
      update domains set brake = 'ON', brake_since = now(), brake_cause = ${JSON.stringify(cause)}::jsonb
      where id = ${domainId}`.execute(walk.server.db);
    await goWithin(page, `/domains/${domainId}`);
    await page.getByText(/^64 of 812 emails \(7\.88 %\) bounced/).waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Release the brake' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release the brake?' });
    const release = dialog.getByRole('button', { name: 'Release the brake' });
    expect(await release.isDisabled()).toBe(true);
    await dialog.getByLabel('What did you find and change?').fill('The bought list was deleted.');
    await release.click();
    await page.getByText('The brake is on').waitFor({ state: 'detached' });
    const { rows } = await sql<{ brake: string; reason: string }>`
      select brake, brake_release_reason as reason from domains where id = ${domainId}
    `.execute(walk.server.db);
    expect(rows).toEqual([{ brake: 'OFF', reason: 'The bought list was deleted.' }]);
  });

  test('a warm-up is started, and its curve is shown with the room of today', async () => {
    await goWithin(page, '/egress');
    await page.getByRole('button', { name: 'Warm up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Warm up second' });
    await dialog.getByLabel('Emails a day to each provider at the end').fill('20000');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByText('to 20,000 emails a day to each provider').waitFor();
    await sql`
      insert into egress_days (egress, provider, day, cap, change, because, sent, waiting)
      select 'second', provider, (now() at time zone 'utc')::date - 20 + at, round(50 * 1.35 ^ at),
        case when at in (9, 10) then 'hold' else 'rise' end,
        case when at in (9, 10) then 'Some mail was deferred.' else 'A good day.' end,
        round(50 * 1.35 ^ at * 0.9), case when at = 20 then 140 else 0 end
      from generate_series(0, 20) as at, unnest(array['google', 'microsoft', 'other']) as provider
    `.execute(walk.server.db);
    await sql`update egress_warmups set started_at = now() - interval '20 days'`.execute(walk.server.db);
    await sql`
      insert into egress_slowdowns (egress, provider, until, blocks, reason)
      values ('second', 'yahoo', now() + interval '2 hours', 1, '421 4.7.0 [TSS04] Messages temporarily deferred')
    `.execute(walk.server.db);
    await page.reload();
    await page.getByRole('img', { name: 'Limit and emails sent by day, Google' }).waitFor();
    await page.getByText('140 emails of campaigns wait for a later day').first().waitFor();
    await page.getByText('Yahoo has slowed it down. Sending goes on').waitFor();
    await expectNothingFromAxe(page);
    expect(walk.complaints).toEqual([]);
  });
});
