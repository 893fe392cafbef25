/**
 * An email with every kind of block: images by upload, paste and drag, columns by slash, and the email that is sent.
 */
import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { joinPng, makePng } from '../../src/testing/images.ts';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

function line(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}

describe.skipIf(browserPath === null)('an email with every kind of block', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let campaignId: string;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    await send('/domains', { name: 'shop.test' });
    await sql`update domains set held = true, status = 'SUCCESS'`.execute(walk.server.db);
    const book = await send('/contactBooks', { name: 'Readers' });
    const campaign = await send('/campaigns', {
      name: 'News',
      from: 'Ada <ada@shop.test>',
      subject: 'News',
      contactBookId: book.id,
      content: JSON.stringify({ type: 'doc', content: [{ type: 'paragraph' }] }),
    });
    campaignId = campaign.id;
    await page.goto(`/campaigns/${campaignId}`);
    await editor().click();
  });
  afterAll(() => walk.close());

  async function send(path: string, data: object) {
    const answer = await page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  const editor = () => page.getByRole('textbox', { name: 'Message' });
  const dialog = () => page.getByRole('dialog');
  const images = () => editor().locator('img');
  const settings = (name: string) => page.getByRole('region', { name, exact: true });

  /** Pastes or drops an image like a file manager or a screenshot tool. */
  function bring(way: 'paste' | 'drop', bytes: Buffer): Promise<void> {
    return page.evaluate(`{
      const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'picture.png', { type: 'image/png' }));
      const target = document.querySelector('.tiptap');
      const { left, top } = target.getBoundingClientRect();
      const common = { bubbles: true, cancelable: true };
      target.dispatchEvent('${way}' === 'paste'
        ? new ClipboardEvent('paste', { ...common, clipboardData: data })
        : new DragEvent('drop', { ...common, dataTransfer: data, clientX: left + 30, clientY: top + 10 }));
    }`);
  }

  async function typeSlash(name: string, word = name): Promise<void> {
    await page.keyboard.type(`/${word}`);
    await page.getByRole('option', { name, exact: true }).waitFor();
    await page.keyboard.press('Enter');
  }

  test('gets a large image by upload, smaller and with its description', async () => {
    await typeSlash('Image');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog().getByRole('button', { name: 'Upload an image' }).first().click(),
    ]);
    // Noise cannot be compressed in any format.
    const rows = Buffer.concat(
      Array.from({ length: 100 }, () => [Buffer.alloc(1), randomBytes(6000)]).flat(),
    );
    const large = joinPng(2000, 100, deflateSync(rows));
    await chooser.setFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: large });
    await expectNothingFromAxe(page);
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await expect.poll(() => dialog().count()).toBe(1);
    await dialog().getByLabel('Alt text').fill('The harbour');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await expect.poll(() => images().first().getAttribute('alt')).toBe('The harbour');
    await expect.poll(() => images().first().getAttribute('width')).toBe('600');
    const { items } = await (await page.request.get('/api/v1/media')).json();
    expect(items).toMatchObject([{ name: 'harbour.png', width: 1200, height: 60 }]);
  });

  test('gets images by paste and drag, and asks for their descriptions', async () => {
    const lines = () =>
      page.evaluate(`[...document.querySelector('.tiptap').children].map((line) => line.nodeName)`);
    await page.keyboard.press('Control+End');
    await expect.poll(lines).toEqual(['IMG', 'P']);
    await bring('paste', makePng(80, 40, [1, 2, 3]));
    // It is where the empty line was, and the line at the end is to write in.
    await expect.poll(lines).toEqual(['IMG', 'IMG', 'P']);
    await expect.poll(() => images().count()).toBe(2);
    await bring('drop', makePng(80, 40, [3, 2, 1]));
    await expect.poll(() => images().count()).toBe(3);
    for (const alt of ['First', 'Second']) {
      await page.getByRole('button', { name: 'Add alt text' }).click();
      await settings('Image').getByLabel('Alt text').fill(alt);
    }
    await expect.poll(() => page.getByText('no alt text').count()).toBe(0);
    await editor().click();
  });

  test('takes an image from the library, in columns, with settings beside it', async () => {
    await editor().focus();
    await page.keyboard.press('Control+End');
    await typeSlash('2 columns', '2 col');
    await page.keyboard.type('Left of the picture');
    const right = editor().locator('[data-column]').nth(1);
    await right.click();
    await page.getByRole('button', { name: 'Image', exact: true }).click();
    await dialog()
      .getByRole('button', { name: /harbour\.png/ })
      .first()
      .click();
    await dialog().getByLabel('only decoration').check();
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await expect.poll(() => right.locator('img').count()).toBe(1);
    await right.locator('img').click();
    await settings('Image').getByLabel('Link', { exact: true }).fill('https://shop.test/harbour');
    await chooseOption(settings('Columns').getByLabel('Widths'), 'Wide and narrow');
    await expectNothingFromAxe(page);
    expect(walk.complaints).toEqual([]);
  });

  test('has merge tags as chips, a footer, and undo that goes back through all of it', async () => {
    await editor().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Hi {{firstName,fallback=friend}}!');
    await expect.poll(() => editor().locator('.mail-tag').innerText()).toBe('firstName or “friend”');
    await page.keyboard.press('Enter');
    await typeSlash('Spacer');
    await editor().focus();
    await page.keyboard.press('Control+End');
    await typeSlash('Footer');
    await settings('Footer').getByLabel('Postal address').fill('Quay 1\nHamburg');
    await expect.poll(() => editor().locator('.mail-footer').innerText()).toContain('Quay 1\nHamburg');
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('tab', { name: 'Message' }).click();
    for (let times = 0; times < 60 && (await editor().locator('.mail-footer').count()) > 0; times++)
      await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => editor().locator('.mail-footer').count()).toBe(0);
    for (let times = 0; times < 60; times++) await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => editor().locator('.mail-footer').innerText()).toContain('Quay 1\nHamburg');
  });

  test('is sent as it was made', async () => {
    await page.getByRole('button', { name: 'Send test' }).click();
    await dialog().getByRole('textbox').first().fill('reader@example.org');
    await dialog().getByRole('button', { name: /send/i }).click();
    await dialog().waitFor({ state: 'detached' });
    const read = async () => {
      const { items } = await (await page.request.get('/api/v1/emails')).json();
      if (items.length === 0) return '';
      return (await (await page.request.get(`/api/v1/emails/${items[0].id}`)).json()).html as string;
    };
    await expect.poll(read).toContain('The harbour');
    const html = await read();
    expect(html).toMatch(/<td class="ph-column" width="64%"/);
    expect(html).toMatch(/<a href="[^"]+"[^>]*><img src="[^"]*\/m\/[\w-]+"/);
    expect(html).toContain('Hi friend!');
    // The editor shows a new spacer with this height, but does not store the default.
    expect(html).toContain('height:32px;line-height:32px');
    expect(html).toContain('Quay 1<br>Hamburg');
    expect(html).toContain('@media (max-width:600px)');
  });

  test('gets blocks by drag from the palette, which ask what they need and show their settings', async () => {
    const content = { type: 'doc', content: [line('First'), line('Last')] };
    const { id } = await send('/templates', { name: 'Palette', content });
    await page.setViewportSize({ width: 1440, height: 1300 });
    await page.goto(`/templates/${id}`);
    /** Drags a block below a line of the email. */
    const bring = async (name: string, text: string) => {
      await page.getByRole('tab', { name: 'Blocks' }).click();
      const tile = page.getByRole('tabpanel', { name: 'Blocks' }).getByRole('button', { name, exact: true });
      const from = (await tile.boundingBox())!;
      const to = (await editor().getByText(text).boundingBox())!;
      await page.mouse.move(from.x + 20, from.y + 20);
      await page.mouse.down();
      // The end of a text stands for the position after it.
      await page.mouse.move(to.x + to.width - 2, to.y + to.height - 2, { steps: 10 });
      await page.mouse.up();
    };
    const blocks = () =>
      page.evaluate(
        `[...document.querySelectorAll('.tiptap > *')].map((each) => each.textContent || each.localName)`,
      );
    await bring('Divider', 'First');
    await expect.poll(blocks).toEqual(['First', 'hr', 'Last']);
    await settings('Divider').getByLabel('Width in percent').fill('40');
    await page.getByRole('tab', { name: 'Blocks' }).click();
    await expectNothingFromAxe(page);
    await bring('Button', 'Last');
    await dialog().getByLabel('Button text').fill('Shop');
    await dialog().getByLabel('URL').fill('our shop');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await dialog().getByText('This is not a link').waitFor();
    await dialog().getByLabel('URL').fill('shop.example/sale');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await expect.poll(blocks).toEqual(['First', 'hr', 'Last', 'Shop', 'p']);
    await editor().locator('.mail-button').click();
    const url = () => settings('Button').getByLabel('URL').inputValue();
    await expect.poll(url).toBe('https://shop.example/sale');
    await bring('Heading', 'First');
    await page.keyboard.type('Title');
    await expect.poll(blocks).toEqual(['First', 'Title', 'hr', 'Last', 'Shop', 'p']);
    expect(walk.complaints).toEqual([]);
  });
});
