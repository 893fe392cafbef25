/** The pages at /docs and /api/docs, as the built server serves them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTRAST, findViolations } from '../../src/testing/axe.ts';
import { findBrowser, shareBrowser } from '../../src/testing/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { startProgram, type RunningProgram } from '../running.ts';

let database: TestDatabase;
let dataDir: string;
let program: RunningProgram;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'posthorn-docs-'));
  program = await startProgram(dataDir, { DATABASE_URL: database.url });
  await program.ready();
});
afterAll(async () => {
  await program.stop('SIGTERM');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const get = (path: string) => fetch(`${program.url}${path}`, { headers: { accept: 'text/html' } });

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);

/** Returns every page that can be reached from /docs, by its path. */
async function readAll(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const answer = await get(path);
    expect(answer.status, path).toBe(200);
    const html = await answer.text();
    pages.set(path, html);
    for (const [, link] of html.matchAll(/href="(\/docs[^"#]*)/g)) waiting.push(link!);
  }
  return pages;
}

test('every page is reached from the first, has unique anchors, and its links lead somewhere', async () => {
  const pages = await readAll();
  expect(pages.size).toBeGreaterThan(20);
  for (const [path, html] of pages) {
    const ids = idsOf(html);
    expect(new Set(ids).size, path).toBe(ids.length);
    for (const [, link] of html.matchAll(/href="((?:\/docs[^"#]*)?#[^"]*)"/g)) {
      const [target, id] = link!.split('#');
      expect(idsOf(pages.get(target || path)!), `${path}: ${link}`).toContain(id);
    }
  }
});

test('the pages load nothing, run nothing, and a path without a page is 404', async () => {
  for (const [path, html] of await readAll()) {
    expect(html, path).not.toMatch(/<(script|img|iframe|link rel="stylesheet")/i);
    expect(/<style>([^<]*)<\/style>/.exec(html)![1], path).not.toMatch(/@import|url\(/i);
    expect(html, path).toMatch(/<h1>[^<]/);
  }
  const { headers } = await get('/docs/guides/webhooks');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await get('/docs/guides/nothing')).status).toBe(404);
  expect((await get('/docs/../package.json')).status).toBe(404);
});

const browserPath = findBrowser();

/** Pages that together contain every kind of content: cards, code, tables, lists, the entries of the API. */
const LOOKED_AT = ['/docs', '/docs/guides/webhooks', '/docs/reliability', '/docs/configuration', '/api/docs'];
/**
 * The API page is too long to be checked as a whole. Its chapters are built alike, so only one is kept: axe reads the
 * whole page even if it checks a part of it.
 */
const OTHER_CHAPTERS = 'main > section:not(#start, .chapter:nth-of-type(2))';
const removeOtherChapters = `document.querySelectorAll('${OTHER_CHAPTERS}').forEach((each) => each.remove())`;

test.skipIf(!browserPath)(
  'pages pass axe in light and dark mode, and none scrolls sideways',
  async () => {
    const browser = await shareBrowser(browserPath!);
    const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
    const page = await context.newPage();
    const width = () => page.evaluate('document.documentElement.scrollWidth');
    for (const path of [...(await readAll()).keys(), '/api/docs']) {
      await page.goto(`${program.url}${path}`);
      await expect.poll(async () => [path, await width()]).toEqual([path, 360]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const path of LOOKED_AT) {
      await page.goto(`${program.url}${path}`);
      if (path === '/api/docs') await page.evaluate(removeOtherChapters);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const only = colorScheme === 'dark' ? [CONTRAST] : undefined;
        const found = await findViolations(page, { only });
        expect({ path, colorScheme, found }).toMatchObject({ found: [] });
      }
    }
    await context.close();
  },
  120_000,
);
