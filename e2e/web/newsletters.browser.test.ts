import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail } from '../../src/testing/mail-world.ts';
import { type MailWalk, soon, startMailWalk } from './mail-walk.ts';
import { browserPath } from './walk.ts';

const ADA = 'ada@harbour.test';
const HTML = 'MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8';
/** Two columns as MJML writes them, over a background that is an image and a colour. */
const NEWSLETTER = `<html><head><style>
  .column { width: 50% !important; }
  @media only screen and (max-width: 480px) { .column { width: 100% !important; } }
  #hero { background: #033fff url(https://shop.example/sheet.png) no-repeat; }
  @import url(https://shop.example/import.css);
  @font-face { font-family: x; src: url(https://shop.example/font.woff2); }
  .column::before { content: url(https://shop.example/content.png); }
  .tall { min-height: 100vh; }
</style></head><body style="margin:0">
<div id="hero" class="tall" style="color:#ffffff">White words</div>
<div style="font-size:0"><div class="column" style="display:inline-block;width:100%;font-size:16px">Left</div><div
class="column" style="display:inline-block;width:100%;font-size:16px">Right</div></div>
<p style="background: url(https://shop.example/inline.png) #eeeeee">Last</p>
<img src="https://shop.example/image.png" width="40" height="40" alt="Hat">
</body></html>`;

describe.skipIf(browserPath === null)('a newsletter in webmail', { timeout: 90_000 }, () => {
  let walk: MailWalk;
  let page: Page;
  const requests: { url: string; type: string }[] = [];

  beforeAll(async () => {
    walk = await startMailWalk();
    await walk.addDomain();
    const ada = await walk.createMailbox('ada');
    page = await walk.visitMail(`/mail/${ada.id}/inbox`);
    await page.route('https://shop.example/**', (route) => {
      requests.push({ url: route.request().url(), type: route.request().resourceType() });
      return route.abort();
    });
    await walk.receive(ADA, rawMail({ subject: 'Hats', text: NEWSLETTER, more: HTML }));
    await page.getByRole('link', { name: 'Hats' }).first().click();
    await page.getByRole('heading', { name: 'Hats' }).waitFor();
  });
  afterAll(() => walk.close());

  const words = (text: string) => page.frameLocator('iframe').getByText(text, { exact: true });
  const background = (selector: string) =>
    page.evaluate(`{
      const inside = document.querySelector('iframe').contentDocument;
      getComputedStyle(inside.querySelector('${selector}')).backgroundColor;
    }`);
  const height = async () => (await page.locator('iframe').boundingBox())!.height;
  const top = async (text: string) => Math.round((await words(text).boundingBox())!.y);

  test('columns stand side by side, and the colour under an image is shown', async () => {
    await words('Left').waitFor();
    expect(await top('Left')).toBe(await top('Right'));
    expect(await background('#hero')).toBe('rgb(3, 63, 255)');
    expect(await background('p')).toBe('rgb(238, 238, 238)');
  });

  test('a size relative to the window does not make the message grow', async () => {
    await soon(height).toBeGreaterThan(90);
    expect(await height()).toBeLessThan(400);
  });

  test('nothing is loaded until the reader asks, and then only images', async () => {
    expect(requests).toEqual([]);
    await page.getByRole('button', { name: 'Show remote images' }).click();
    await soon(() => new Set(requests.map(({ url }) => url.slice('https://shop.example/'.length)))).toEqual(
      new Set(['sheet.png', 'inline.png', 'image.png']),
    );
    expect(new Set(requests.map(({ type }) => type))).toEqual(new Set(['image']));
  });

  test('on a phone the columns stand below each other', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await soon(async () => (await top('Right')) - (await top('Left'))).toBeGreaterThan(10);
  });
});
