/** Every page begins at the same left edge, at every width. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, signUp, startWalk, type Walk } from './walk.ts';

const PATHS = [
  '/',
  '/emails',
  '/queue',
  '/domains',
  '/suppressions',
  '/sandbox',
  '/campaigns',
  '/templates',
  '/contact-books',
  '/segments',
  '/topics',
  '/forms',
  '/webhooks',
  '/api-keys',
  '/team',
  '/brand',
  '/settings',
];

/** The sidebar has 240 pixels, a page at most 1280, and 32 or 16 pixels are free beside it. */
const EDGES = [
  [1920, 240 + (1920 - 240 - 1280) / 2 + 32],
  [1440, 240 + 32],
  [390, 16],
] as const;

describe.skipIf(!browserPath)('pages', () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  });

  afterAll(async () => {
    expect(walk.complaints).toEqual([]);
    await walk.close();
  });

  test('begin at the same left edge at every width', async () => {
    for (const path of PATHS) {
      await page.goto(path);
      const title = page.getByRole('heading', { level: 1 });
      await title.waitFor();
      const edge = async () => [path, Math.round((await title.boundingBox())!.x)];
      for (const [width, expected] of EDGES) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(edge).toEqual([path, expected]);
      }
    }
  }, 180_000);

  test('the ring of a focused tab is whole', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const made = await page.request.post('/api/v1/templates', {
      data: { name: 'Welcome', subject: 'Welcome', html: '<p>Hello</p>' },
      headers: { origin: walk.server.url },
    });
    await page.goto(`/templates/${(await made.json()).id}`);
    const tab = page.getByRole('tab').first();
    await tab.focus();
    const offset = () => page.evaluate('getComputedStyle(document.activeElement).outlineOffset');
    await expect.poll(offset).toBe('-2px');
  });
});
