/**
 * Measures the main pages for docs/design.md: bytes of a first visit, first contentful paint with a warm cache on the
 * profile "Fast 3G" of Chrome, and layout shifts of both visits. `npm run measure:pages` prints a table.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { fillMail } from './screenshots/fill-mail.ts';
import { fillShop } from './screenshots/fill-shop.ts';
import { mailPagesOf } from './screenshots/mail-pages.ts';
import { pagesOf, WALK } from './screenshots/pages.ts';
import { setUp, withShopServer, type Server } from './screenshots/shop-server.ts';

/** As Chrome defines it. */
const FAST_3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (750 * 1024 * 0.9) / 8,
};
const FREE = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
/** Whatever moves a page has happened by then, also with its answers over Fast 3G. */
const SETTLE_MS = 3_000;

interface Visit {
  bytes: number;
  paintMs: number;
  shift: number;
}

async function measure(
  browser: Browser,
  { url }: Server,
  path: string,
  storageState: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>,
): Promise<{ cold: Visit; warm: Visit }> {
  const context = await browser.newContext({ baseURL: url, storageState });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const cold = await visit(page, session, path);
  await session.send('Network.emulateNetworkConditions', FAST_3G);
  const warm = await visit(page, session, path);
  await session.send('Network.emulateNetworkConditions', FREE);
  await context.close();
  return { cold, warm };
}

async function visit(page: Page, session: CDPSession, path: string): Promise<Visit> {
  let bytes = 0;
  const count = ({ encodedDataLength }: { encodedDataLength: number }) => void (bytes += encodedDataLength);
  session.on('Network.loadingFinished', count);
  await page.goto(path, { waitUntil: 'load' });
  await page.waitForTimeout(SETTLE_MS);
  session.off('Network.loadingFinished', count);
  const { paintMs, shift } = await page.evaluate<Pick<Visit, 'paintMs' | 'shift'>>(READ);
  return { bytes, paintMs: Math.round(paintMs), shift };
}

/** Reads what the browser has noted of this page. It waits for nothing, because no timer fires in an email of the archive. */
const READ = `(() => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: 'layout-shift', buffered: true });
  let shift = 0;
  for (const entry of observer.takeRecords()) if (!entry.hadRecentInput) shift += entry.value;
  return { paintMs: paint ? paint.startTime : Number.NaN, shift };
})()`;

await withShopServer(async (browser, server) => {
  const first = await browser.newContext({ baseURL: server.url });
  await setUp(first.request, server);
  const shop = await fillShop(first.request, server.url, server.pool, server.receiverUrl);
  const day = await fillMail(first.request, server.url, server.smtpPort);
  const storageState = await first.storageState();
  await first.close();
  const shots = [...pagesOf(shop), ...mailPagesOf(day)].filter(
    ({ name, path }) => WALK.includes(name) && path !== null,
  );
  console.log('| page | first visit | first paint, warm, Fast 3G | layout shift, first and warm |');
  console.log('| --- | --- | --- | --- |');
  for (const { name, path } of shots) {
    const { cold, warm } = await measure(browser, server, path!, storageState);
    const kilobytes = Math.round(cold.bytes / 1000);
    console.log(
      `| ${name} | ${kilobytes} kB | ${warm.paintMs} ms | ${cold.shift.toFixed(3)}, ${warm.shift.toFixed(3)} |`,
    );
  }
});
