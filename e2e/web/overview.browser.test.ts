import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

/**
 * Sent, delivered, opened, clicked, bounced, complained and the four of tracked emails: the counts on day 0, which
 * grow each day.
 */
const COUNTS = [
  [50, 3],
  [43, 3],
  [20, 2],
  [8, 1],
  [4, 0],
  [1, 0],
  [40, 3],
  [20, 2],
  [40, 3],
  [8, 1],
] as const;

describe.skipIf(browserPath === null)('the overview', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    // Forty days of email, and some of today with tags.
    const counts = sql.join(
      COUNTS.map(
        ([count, more]) => sql`${count}::integer + (${more}::integer * extract(day from day))::integer`,
      ),
    );
    for (const subject of ['', 'tag kind:receipt']) {
      await sql`
        insert into quarter_hour_counts (team_id, subject, domain_id, quarter, slot, sent, delivered, opened, clicked,
          bounced, complained, open_tracked, open_tracked_opened, click_tracked, click_tracked_clicked, hard_bounced)
        select 1, ${subject}, 0, (day + time '09:15') at time zone 'utc', 0, ${counts}, 0
        from generate_series(current_date - ${subject === '' ? 39 : 0}::integer, current_date, interval '1 day') as days (at),
          lateral (select at::date as day) as dates
      `.execute(walk.server.db);
    }
    await sql`insert into total_counts values (1, 0, 0, 0, 0, 0, 0, 0, 0, 0)`.execute(walk.server.db);
  });
  afterAll(() => walk.close());

  async function shoot(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }

  const tableRows = () => page.getByRole('region', { name: 'Counts over time' }).locator('tbody tr');

  test('shows the last 30 days with charts, says what the rates are of, and marks today', async () => {
    await page.goto('/?zone=UTC');
    await page
      .getByText(/% of [\d,]+ tracked/)
      .first()
      .waitFor();
    await page.locator('canvas').nth(1).waitFor();
    await shoot('overview-desktop-light');
    await page.getByText('Show as a table').click();
    await expect.poll(() => tableRows().count()).toBe(30);
    await expect.poll(() => tableRows().first().innerText()).toContain('(so far)');
    await expect.poll(() => page.getByText('(so far)').count()).toBe(1);
    await expectNothingFromAxe(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await shoot('overview-desktop-dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('keeps the range, interval, zone and tag in the address', async () => {
    await chooseOption(page.getByLabel('Group by'), 'Month');
    await expect.poll(() => page.url()).toContain('interval=month');
    await chooseOption(page.getByLabel('Time zone'), 'Asia/Tokyo');
    await chooseOption(page.getByLabel('Period'), 'Custom dates');
    await page.getByLabel('From').fill('2026-01-01');
    await page.getByLabel('To', { exact: true }).fill('2025-01-01');
    await page.getByText('Must not be before the first day.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2026-03-31');
    await expect.poll(() => page.url()).toContain('to=2026-03-31');
    await page.reload();
    await page.getByText('Show as a table').click();
    await expect.poll(() => tableRows().count()).toBe(3);
    await expect.poll(() => page.getByLabel('Time zone').innerText()).toBe('Asia/Tokyo');
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('1 Jan 2026');

    await page.goto('/?zone=UTC&days=7');
    await page.getByLabel('Tag').fill('kind:receipt');
    await page.keyboard.press('Enter');
    await expect.poll(() => decodeURIComponent(page.url())).toContain('tag=kind:receipt');
    const sent = async () => Number(await page.getByRole('definition').first().innerText());
    await expect.poll(sent).toBeGreaterThan(0);
  });

  test('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/?zone=UTC&days=7&interval=day&from=2026-11-01&to=2026-11-20');
    await page.locator('canvas').nth(1).waitFor();
    await shoot('overview-phone-light');
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await shoot('overview-phone-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto('/sandbox');
    await page.getByText('Simulate what recipients do').click();
    await page.getByText('bounce@simulator.test', { exact: true }).waitFor();
    await shoot('sandbox-phone');
    await page.setViewportSize({ width: 1280, height: 800 });
    await expectNothingFromAxe(page);
    await shoot('sandbox-desktop');
  });

  test('the browser has nothing to complain about', () => {
    expect(walk.complaints).toEqual([]);
  });
});
