/**
 * Takes screenshots of the main pages for docs/screenshots/: desktop and phone, light and dark. It starts a server with a
 * database of its own, fills it with the data of a small bookshop, and opens the pages in a real browser.
 *
 * Other pages are taken by their names in screenshots/pages.ts, to look at them:
 * `npm run screenshots -- --to /tmp/look --png --language de queue brand`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { fillMail, type MailDay } from './screenshots/fill-mail.ts';
import { fillShop, type Shop } from './screenshots/fill-shop.ts';
import { mailPagesOf } from './screenshots/mail-pages.ts';
import { pagesOf, WALK, type PageShot } from './screenshots/pages.ts';
import { setUp, withShopServer, type Server } from './screenshots/shop-server.ts';
import { toWebp } from './screenshots/to-webp.ts';

const { values: options, positionals: named } = parseArgs({
  options: {
    to: { type: 'string', default: 'docs/screenshots' },
    language: { type: 'string', default: 'en' },
    png: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const WANTED = new Set(named.length > 0 ? named : WALK);
const WIDE = { width: 1280, height: 800 };
const SETTLE_MS = 700;
const PATIENCE_MS = 20_000;
const PHONE = { width: 390, height: 780 };

async function takeAll(browser: Browser, server: Server): Promise<void> {
  const { url, setupToken } = server;
  mkdirSync(options.to, { recursive: true });
  const locale = options.language;
  const first = await browser.newContext({ baseURL: url, viewport: WIDE, locale });
  const door = await first.newPage();
  await door.goto(`/setup?token=${setupToken}`);
  await shoot(door, { name: 'setup', path: null });
  await setUp(first.request, server);
  const storageState = await first.storageState();
  const everywhere = (shots: PageShot[], look: BrowserContextOptions) =>
    onBoth(browser, { baseURL: url, locale, ...look }, shots);
  await everywhere([{ name: 'overview-new', path: '/' }], { storageState });
  const shop: Shop = await fillShop(first.request, url, server.pool, server.receiverUrl);
  const day: MailDay = await fillMail(first.request, url, server.smtpPort);
  await first.close();
  const shots = [...pagesOf(shop), ...mailPagesOf(day)];
  await everywhere(
    shots.filter(({ isPublic }) => !isPublic),
    { storageState },
  );
  const outside = ['sign-in', 'forgotten'].map((page) => ({ name: page, path: `/${page}` }));
  await everywhere([...shots.filter(({ isPublic }) => isPublic), ...outside], {});
}

/** Takes the pages in a wide window and on a phone. */
async function onBoth(browser: Browser, look: BrowserContextOptions, shots: PageShot[]): Promise<void> {
  const wanted = shots.filter(({ name }) => WANTED.has(name));
  if (wanted.length === 0) return;
  for (const viewport of [WIDE, PHONE]) {
    const touch = viewport === PHONE ? { hasTouch: true, isMobile: true } : {};
    const context = await browser.newContext({ ...look, ...touch, viewport });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    for (const shot of wanted) {
      try {
        await shoot(page, viewport === PHONE ? { ...shot, name: `${shot.name}-phone` } : shot);
      } catch (error) {
        // The other pages can be looked at all the same.
        console.error(`${shot.name}: ${String(error)}`);
        process.exitCode = 1;
      }
    }
    await context.close();
  }
}

async function shoot(page: Page, shot: PageShot): Promise<void> {
  if (!WANTED.has(shot.name.replace(/-phone$/, ''))) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (shot.path !== null) await page.goto(shot.path, { waitUntil: 'load' });
    // Webmail keeps an event stream open, so the network is never idle there.
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    // The steps know the English names.
    if (options.language === 'en') await shot.prepare?.(page);
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(SETTLE_MS);
    const png = await page.screenshot({ animations: 'disabled' });
    const place = join(options.to, `${shot.name}-${colorScheme}`);
    if (options.png) writeFileSync(`${place}.png`, png);
    else writeFileSync(`${place}.webp`, await toWebp(page, png));
  }
  console.log(shot.name);
}

await withShopServer(takeAll);
