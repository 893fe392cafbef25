import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, shareBrowser } from '../../testing/browser.ts';
import { BACKGROUND_SHEETS, HOSTILE_SHEETS, HOSTILE_STYLES } from '../../testing/hostile-css.ts';
import { HOSTILE_HTML } from '../../testing/hostile-html.ts';
import { cleanHtml, blockRemoteImages } from './clean-html.ts';
import { toDisplayHtml } from './display/display-html.ts';

const HOME = 'https://posthorn.test/';
const BATCH = 20;
const browserPath = findBrowser();

/** A page that records every call of `ran()`, every dialog and every request, and blocks all of them. */
async function openWatchedPage(browser: Browser) {
  const page = await browser.newPage();
  const seen = { ran: 0, fetched: [] as string[], url: () => page.url() };
  let body = '';
  page.on('dialog', (dialog) => {
    seen.ran += 1;
    void dialog.dismiss();
  });
  await page.exposeFunction('ran', () => {
    seen.ran += 1;
  });
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url === HOME) return route.fulfill({ contentType: 'text/html; charset=utf-8', body });
    seen.fetched.push(url);
    return route.abort();
  });
  return {
    seen,
    close: () => page.close(),
    /** Loads the HTML as a page and inserts it into another page, because browsers parse the two differently. */
    async show(html: string): Promise<void> {
      body = `<!doctype html><body>${html}`;
      await page.goto(HOME, { waitUntil: 'load' });
      await page.evaluate(`
        document.body.innerHTML += document.body.innerHTML;
        for (const link of document.querySelectorAll('a[href]')) if (!/^(https?|mailto|tel):/.test(link.href)) link.click();
        new Promise((resolve) => setTimeout(resolve, 20))`);
    },
  };
}

describe.skipIf(!browserPath)('in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await shareBrowser(browserPath!);
  });

  test('HTML that is not cleaned runs scripts and loads images, which proves that the page detects both', async () => {
    const { seen, show, close } = await openWatchedPage(browser);
    await show(
      '<img src=x onerror=ran()><script>alert(1)</script><p style="background:url(https://evil.test/)">x</p>',
    );
    expect(seen.ran).toBeGreaterThan(1);
    expect(seen.fetched).toContain('https://evil.test/');
    await close();
  });

  test('cleaned HTML runs and loads nothing', { timeout: 120_000 }, async () => {
    const { seen, show, close } = await openWatchedPage(browser);
    for (let at = 0; at < HOSTILE_HTML.length; at += BATCH) {
      const batch = HOSTILE_HTML.slice(at, at + BATCH);
      await show(batch.map((html) => cleanHtml(html)).join('<hr>'));
      await show(cleanHtml(batch.join('<hr>')));
      expect({ ...seen, url: seen.url() }, batch.join('\n')).toEqual({ ran: 0, fetched: [], url: HOME });
    }
    await close();
  });

  test('exactly the text that a browser shows outside SVG and MathML is kept', async () => {
    const page = await browser.newPage();
    const shown = async (html: string) => {
      await page.setContent(`<!doctype html><body>${html}`);
      return page.evaluate(`document.body.innerText.includes('KEPT')`);
    };
    for (const html of [
      '<svg/onload=x><p>KEPT</p>',
      'a<svg><p>KEPT</p>b</svg>c',
      '<p>a<svg></p>KEPT',
      '<svg><g><path><b>KEPT</b></g></svg>',
      '<svg><style>x<p>KEPT',
      '<svg><title>x</title></svg>KEPT',
      '<svg><![CDATA[<p>x</p>]]><i>KEPT</i>',
      '<svg><table><tr><td>KEPT',
      '<style>x<p>y',
      '<template><p>x</p></template>KEPT',
      '<template><p>x',
      '<object data="data:x"><p>KEPT</p></object>',
      '<noscript><p>x</p></noscript>KEPT',
      '<math/><p>KEPT',
    ]) {
      const isKept = { before: await shown(html), after: await shown(cleanHtml(html)) };
      expect([html, isKept.after]).toEqual([html, isKept.before]);
    }
    await page.close();
  });

  test('hostile style sheets load nothing, even when images are shown', { timeout: 120_000 }, async () => {
    const { seen, show, close } = await openWatchedPage(browser);
    const target = '<p title="a" class="a"><b>x</b><a href="https://a.test/">y</a></p><ul><li>z</li></ul>';
    for (const css of HOSTILE_SHEETS) {
      // Images that the sheet writes as HTML are ordinary images.
      const display = toDisplayHtml(`<style>b{color:red}</style><style>${css}</style>${target}`)!;
      await show(display.replaceAll(/<img [^>]*>/g, ''));
      expect([css, seen.fetched]).toEqual([css, []]);
    }
    for (const style of HOSTILE_STYLES)
      await show(toDisplayHtml(`<style>b{color:red}</style><p style="${style}">x</p>`)!);
    expect({ ...seen, url: seen.url() }).toEqual({ ran: 0, fetched: [], url: HOME });
    await close();
  });

  test('background images are loaded as images, and nothing is once they are blocked', async () => {
    const [shown, held] = [await openWatchedPage(browser), await openWatchedPage(browser)];
    for (const css of BACKGROUND_SHEETS) {
      const display = toDisplayHtml(`<style>${css}</style><p>x</p>`)!;
      await shown.show(display);
      await held.show(blockRemoteImages(display).html);
    }
    expect(new Set(shown.seen.fetched)).toEqual(new Set(['https://evil.test/x']));
    expect(held.seen.fetched).toEqual([]);
    await Promise.all([shown.close(), held.close()]);
  });

  test('remote images are loaded, and nothing is once they are blocked', async () => {
    // Two pages, because late requests of the first must not count for the second.
    const [shown, held] = [await openWatchedPage(browser), await openWatchedPage(browser)];
    const html = cleanHtml(
      '<img src="https://a.test/1.png"><table background="https://a.test/2.png"><tr><td>x</table>',
    );
    await shown.show(html);
    expect(new Set(shown.seen.fetched)).toEqual(new Set(['https://a.test/1.png', 'https://a.test/2.png']));
    await held.show(blockRemoteImages(html).html);
    expect(held.seen.fetched).toEqual([]);
    await Promise.all([shown.close(), held.close()]);
  });
});
