/** The script of the API page in a real browser: the search, and the forms that send requests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { findBrowser, shareBrowser } from '../../testing/browser.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

const browserPath = findBrowser();

describe.skipIf(browserPath === null)('the API page', { timeout: 120_000 }, () => {
  let server: TestServer;
  let team: TestTeam;
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    team = await server.createTeam();
    context = await (await shareBrowser(browserPath!)).newContext({ viewport: { width: 1440, height: 900 } });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${server.url}/api/docs`);
  });
  afterAll(async () => {
    await context.close();
    await server.close();
  });

  const listed = () => page.locator('#contents ul ul li:visible a').allTextContents();

  test('finds operations by their name, their path, and the names of fields and schemas', async () => {
    const search = page.getByRole('searchbox');
    const all = (await listed()).length;
    await page.keyboard.press('/');
    await page.keyboard.type('rotate signing secret');
    await expect.poll(listed).toEqual([expect.stringContaining('Rotate the signing secret')]);
    await page.getByText('1 match', { exact: true }).waitFor();
    await search.press('Enter');
    await page.waitForURL(/#rotateWebhookSecret$/);
    await search.fill('/v1/suppressions');
    await expect.poll(async () => (await listed()).join()).toContain('suppression');
    // A field of responses, and the name of a schema.
    await search.fill('WebhookWithSecret');
    await expect.poll(async () => (await listed()).join()).toMatch(/Create a webhook.*Rotate/s);
    await search.fill('');
    await expect.poll(async () => (await listed()).length).toBe(all);
  });

  test('sends a request with a key that stays in the page', async () => {
    await page.goto(`${server.url}/api/docs#createContactBook`);
    const entry = page.locator('#createContactBook');
    await entry.getByRole('button', { name: 'Try it' }).click();
    await entry.getByLabel('API key (kept in this page only)').fill(team.key);
    await entry.getByRole('textbox', { name: 'Body' }).fill('{"name": "Tried"}');
    await entry.getByRole('button', { name: 'Send request' }).click();
    await entry.locator('.outcome', { hasText: '200' }).waitFor();
    const { id } = JSON.parse((await entry.locator('form.try pre').textContent())!);
    expect((await team.call('GET', `/contactBooks/${id}`)).body).toMatchObject({ name: 'Tried' });

    // The next form has the key, and fills it into the path.
    const next = page.locator('#getContactBook');
    await next.getByRole('button', { name: 'Try it' }).click();
    await next.getByLabel('contactBookId').fill(id);
    await next.getByRole('button', { name: 'Send request' }).click();
    await next.locator('.outcome', { hasText: '200' }).waitFor();
    const folder = process.env['SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/api-docs.png` });
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(
      0,
    );
    await page.reload();
    await entry.getByRole('button', { name: 'Try it' }).click();
    expect(await entry.getByLabel('API key (kept in this page only)').inputValue()).toBe('');
    expect(errors).toEqual([]);
  });

  test('says so if the form cannot be loaded, and loads it on the next try', async () => {
    const visit = await context.newPage();
    await visit.route('**/api/v1/openapi.json', (route) => route.abort());
    await visit.goto(`${server.url}/api/docs#createContactBook`);
    const entry = visit.locator('#createContactBook');
    await entry.getByRole('button', { name: 'Try it' }).click();
    await entry.getByText('The form could not be loaded').waitFor();
    await visit.unroute('**/api/v1/openapi.json');
    await visit.route('**/api/v1/openapi.json', (route) => route.fulfill({ status: 503, body: '' }));
    await entry.getByRole('button', { name: 'Try it' }).click();
    await entry.getByText('the server responded with 503').waitFor();
    await visit.unroute('**/api/v1/openapi.json');
    await entry.getByRole('button', { name: 'Try it' }).click();
    await entry.getByRole('button', { name: 'Send request' }).waitFor();
    expect(await entry.getByText('The form could not be loaded').count()).toBe(0);
    await visit.close();
  });

  test('opens the contents on a small screen when / is pressed', async () => {
    const visit = await context.newPage();
    await visit.setViewportSize({ width: 390, height: 844 });
    await visit.goto(`${server.url}/api/docs`);
    expect(await visit.getByRole('searchbox').isVisible()).toBe(false);
    await visit.keyboard.press('/');
    await visit.keyboard.type('createContactBook');
    await visit.getByText('1 match', { exact: true }).waitFor();
    const folder = process.env['SCREENSHOTS'];
    if (folder) await visit.screenshot({ path: `${folder}/api-docs-phone.png` });
    await visit.keyboard.press('Enter');
    await visit.waitForURL(/#createContactBook$/);
    expect(await visit.getByRole('searchbox').isVisible()).toBe(false);
    await visit.close();
  });
});
