/** The form in the page of another site: in the page, as a pop-up and as a bar, in a wide window and on a phone. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, shareBrowser } from '../../testing/browser.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

const program = findBrowser();
const PHONE = { width: 390, height: 800 };
const LONG = 'Donaudampfschifffahrtsgesellschaftsnachrichten';

describe.skipIf(!program)('a form in another site', () => {
  let browser: Browser;
  let server: TestServer;
  let team: TestTeam;
  let book: string;
  let site: Server;
  let code = '';

  beforeAll(async () => {
    server = await startTestServer();
    browser = await shareBrowser(program!);
    team = await server.createTeam();
    book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><style>* { box-sizing: content-box }</style><body>${code}<p style="height: 3000px">`,
      );
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
  }, 60_000);
  afterAll(async () => {
    site.closeAllConnections();
    site.close();
    await server.close();
  });

  async function embed(style: 'inline' | 'popup' | 'bar', viewport: typeof PHONE, title: string) {
    const fields = [{ name: 'firstName', label: 'First name, as we should write it', required: false }];
    const input = { name: 'Home', contactBookId: book, texts: { title, description: title }, fields };
    const { body: form } = await team.call('POST', '/forms', input);
    code = form.embedScripts[style];
    const page = await browser.newPage({ viewport });
    page.setDefaultTimeout(10_000);
    // The URL of the form has the port of the settings.
    await page.route(`${new URL(form.url).origin}/**`, (route) =>
      route.continue({ url: `${server.url}${new URL(route.request().url()).pathname}` }),
    );
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    if (style === 'popup') await page.mouse.wheel(0, 2000);
    await page.locator('section form').waitFor();
    return page;
  }

  const BOX = `[...document.querySelectorAll('div')].at(-1).shadowRoot.querySelector('section')`;

  /** Returns what is wider than the form. */
  const findCut = (page: Page) =>
    page.evaluate<string[]>(`{
      const box = ${BOX};
      const { left, right } = box.getBoundingClientRect();
      const isCut = (each) =>
        each.scrollWidth > each.clientWidth + 1 ||
        each.getBoundingClientRect().left < left ||
        each.getBoundingClientRect().right > right;
      [box, ...box.querySelectorAll('h2, h2 + p')].filter(isCut).map(({ tagName }) => tagName);
    }`);

  test.each(['inline', 'popup', 'bar'] as const)('%s shows long words whole on a phone', async (style) => {
    const page = await embed(style, PHONE, LONG);
    expect(await findCut(page)).toEqual([]);
    const boxes = await Promise.all(
      ['Email address', 'First name'].map((label) => page.getByLabel(label).boundingBox()),
    );
    expect(boxes[0]!.width).toBe(boxes[1]!.width);
    await page.close();
  });

  test('Arabic is laid out from right to left', async () => {
    const page = await embed('inline', PHONE, 'رسائل الميناء');
    expect(await page.evaluate(`getComputedStyle(${BOX}).direction`)).toBe('rtl');
    await page.close();
  });

  test('a pop-up is closed with Escape for the visit, and signs up without leaving the site', async () => {
    const page = await embed('popup', { width: 1280, height: 800 }, 'News');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('status').waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Escape');
    await page.locator('section').waitFor({ state: 'detached' });
    await page.reload();
    await page.mouse.wheel(0, 2000);
    expect(await page.locator('section').count()).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
    await page.close();
  });
});
