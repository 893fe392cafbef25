/**
 * Takes screenshots of every page in light and dark mode for docs/screenshots/. It starts a server with a database of
 * its own, fills it with the data of a small bookshop, and opens the pages in a real browser.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { loadConfig } from '../src/config.ts';
import { start } from '../src/main.ts';
import { openEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLog } from '../src/platform/log.ts';
import { findBrowser, startBrowser } from '../src/testing/browser.ts';
import { startDnsServer } from '../src/testing/dns-server.ts';
import { fillMail, MAIL_ZONE, type MailDay } from './screenshots/fill-mail.ts';
import { fillShop, type Shop } from './screenshots/fill-shop.ts';
import { mailPagesOf } from './screenshots/mail-pages.ts';
import { pagesOf, type PageShot } from './screenshots/pages.ts';
import { toWebp } from './screenshots/to-webp.ts';

const FOLDER = 'docs/screenshots';
const OWNER = { name: 'Ada Lovelace', email: 'ada@harbour-books.example', password: 'correct horse battery' };
const WIDE = { width: 1280, height: 800 };
const SETTLE_MS = 700;
const PHONE = { width: 390, height: 780 };

async function main(): Promise<void> {
  const executable = findBrowser();
  if (!executable) throw new Error('The screenshots need Chromium.');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-screenshots-'));
  const dns = await startDnsServer(MAIL_ZONE);
  const postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const config = {
    ...loadConfig({
      LOG_LEVEL: 'silent',
      DATA_DIR: dataDir,
      DATABASE_URL: postgres.url,
      DNS_SERVERS: dns.address,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }),
    port: 0,
    smtpPort: 0,
    submissionPort: 0,
    submissionsPort: 0,
    imapPort: 0,
    imapsPort: 0,
  };
  const running = await start(config, createLog('fatal'), ['http', 'smtp', 'worker'], {
    webFolder: 'dist/web',
  });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  const browser = await startBrowser(executable);
  const receiver = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const url = `http://127.0.0.1:${running.httpPort}`;
    const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/mail`;
    await takeAll(browser, {
      url,
      receiverUrl,
      setupToken: running.firstStart.setupToken!,
      pool,
      smtpPort: running.smtpPort!,
    });
  } finally {
    await browser.close();
    receiver.close();
    await pool.end();
    await running.close();
    await postgres.leave();
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Server {
  url: string;
  /** The URL that receives the webhooks. */
  receiverUrl: string;
  setupToken: string;
  pool: pg.Pool;
  smtpPort: number;
}

async function takeAll(browser: Browser, server: Server): Promise<void> {
  const { url, setupToken } = server;
  mkdirSync(FOLDER, { recursive: true });
  const only = process.argv.slice(2);
  const first = await browser.newContext({ baseURL: url, viewport: WIDE });
  const door = await first.newPage();
  await door.goto(`/setup?token=${setupToken}`);
  await shoot(door, { name: 'setup', path: null }, only);
  const { name, email, password } = OWNER;
  const made = await first.request.post('/api/v1/auth/setup', {
    data: { token: setupToken, name, email, password },
    headers: { origin: url },
  });
  if (!made.ok()) throw new Error(await made.text());
  const shop: Shop = await fillShop(first.request, url, server.pool, server.receiverUrl);
  const day: MailDay = await fillMail(first.request, url, server.smtpPort);
  const storageState = await first.storageState();
  await first.close();
  for (const viewport of [WIDE, PHONE]) {
    const touch = viewport === PHONE ? { hasTouch: true, isMobile: true } : {};
    const context = await browser.newContext({ baseURL: url, viewport, storageState, ...touch });
    const page = await context.newPage();
    for (const shot of [...pagesOf(shop), ...mailPagesOf(day)]) {
      if (viewport === PHONE ? !shot.phone : shot.phone === 'only') continue;
      const suffix = viewport === PHONE ? '-phone' : '';
      await shoot(page, { ...shot, name: `${shot.name}${suffix}` }, only);
    }
    await context.close();
  }
  const stranger = await browser.newContext({ baseURL: url, viewport: WIDE });
  const outside = await stranger.newPage();
  await shoot(outside, { name: 'sign-in', path: '/sign-in' }, only);
  await shoot(outside, { name: 'forgotten', path: '/forgotten' }, only);
  await stranger.close();
}

async function shoot(page: Page, shot: PageShot, only: string[]): Promise<void> {
  if (only.length > 0 && !only.includes(shot.name)) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (shot.path !== null) await page.goto(shot.path, { waitUntil: 'load' });
    // Webmail keeps an event stream open, so the network is never idle there.
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await shot.prepare?.(page);
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(SETTLE_MS);
    const png = await page.screenshot({ animations: 'disabled' });
    writeFileSync(join(FOLDER, `${shot.name}-${colorScheme}.webp`), await toWebp(page, png));
  }
  console.log(shot.name);
}

await main();
