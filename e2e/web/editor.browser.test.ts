import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pasteFiles, paste } from './paste.ts';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

const LINKED = ['Hello there', 'button Shop', 'https://linked.test/'];

function wordItem(marker: string, text: string): string {
  const bullet = `<span style='mso-list:Ignore'>${marker}<span>&nbsp;&nbsp; </span></span>`;
  return `<p class=MsoListParagraph style='text-indent:-18pt;mso-list:l0 level1 lfo1'>${bullet}${text}</p>`;
}

function line(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}

function column(text: string) {
  return { type: 'column', content: [line(text)] };
}

describe.skipIf(browserPath === null)('content in the editor', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let templatePath: string;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  });
  afterAll(() => walk.close());

  beforeEach(async () => {
    templatePath = `/templates/${await makeTemplate()}`;
    await page.goto(templatePath);
    await editor().click();
    const goToEnd = async () => {
      await page.keyboard.press('Control+End');
      await nextFrame();
      return page.evaluate(`getSelection().focusOffset`);
    };
    await expect.poll(goToEnd).toBe('there'.length);
  });

  async function makeTemplate(): Promise<string> {
    const link = { type: 'link', attrs: { href: `${walk.server.url}/elsewhere` } };
    const content = {
      type: 'doc',
      content: [
        {
          type: 'paragraph',
          content: [
            { type: 'text', text: 'Hello ' },
            { type: 'text', text: 'there', marks: [link] },
          ],
        },
      ],
    };
    const answer = await page.request.post('/api/v1/templates', {
      data: { name: 'Welcome', content: JSON.stringify(content) },
      headers: { origin: walk.server.url },
    });
    return (await answer.json()).id;
  }

  function editor() {
    return page.getByRole('textbox', { name: 'Message' });
  }

  function settings(name: string) {
    return page.getByRole('region', { name, exact: true });
  }

  function dialog() {
    return page.getByRole('dialog');
  }

  /** Returns the lines of the document, without an empty last line. */
  async function lines(): Promise<string[]> {
    const found =
      (await page.evaluate(`[...document.querySelector('.tiptap').cloneNode(true).children].map((line) => {
      for (const tag of line.querySelectorAll('.mail-tag')) tag.textContent = tag.title;
      const button = line.querySelector('.mail-button');
      if (button) return 'button ' + button.textContent;
      if (line.matches('img')) return 'image ' + line.alt;
      return line.matches('hr') ? 'line' : line.textContent.trim();
    })`)) as string[];
    return found.at(-1) === '' ? found.slice(0, -1) : found;
  }

  function block(text: string) {
    return editor().locator('p', { hasText: text });
  }

  /** Drags a block by its handle to the place of another one. */
  async function drag(text: string, to: string): Promise<void> {
    await block(text).hover();
    const handle = (await page.locator('.mail-handle').boundingBox())!;
    const target = (await block(to).boundingBox())!;
    await page.mouse.move(handle.x + 8, handle.y + 8, { steps: 3 });
    await page.mouse.down();
    await page.mouse.move(target.x + 8, target.y + target.height - 2, { steps: 10 });
    await page.mouse.up();
  }

  /** Waits until the editor has the focus and the caret again. */
  async function isBackInText(): Promise<void> {
    await dialog().waitFor({ state: 'detached' });
    const hasCaret = `document.activeElement.matches('.tiptap') && document.activeElement.contains(getSelection().focusNode)`;
    await expect.poll(() => page.evaluate(hasCaret)).toBe(true);
    await nextFrame();
  }

  /** Waits for the next frame, because the editor notices a moved caret only then. */
  async function nextFrame(): Promise<void> {
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)))`);
  }

  async function selectButton(): Promise<void> {
    await expect.poll(() => tryToSelectButton()).toBe(1);
  }

  async function tryToSelectButton(): Promise<number> {
    await page.keyboard.press('Control+Home');
    await nextFrame();
    await page.keyboard.press('ArrowDown');
    await nextFrame();
    return page.getByText('Button selected').count();
  }

  async function insertButton(text: string): Promise<void> {
    await page.getByRole('button', { name: 'Button', exact: true }).click();
    await dialog().getByLabel('Button text').fill(text);
    await dialog().getByLabel('URL').fill(`${walk.server.url}/elsewhere`);
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
  }

  async function insertImage(alt: string): Promise<void> {
    await page.getByRole('button', { name: 'Image', exact: true }).click();
    await dialog().getByLabel('Image URL').fill(`${walk.server.url}/icon.svg`);
    await dialog().getByRole('button', { name: 'Use this image' }).click();
    await dialog().getByLabel('Alt text').fill(alt);
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
  }

  test('stays when more is inserted or written behind it, and undo takes back one thing at a time', async () => {
    await insertButton('Shop');
    await insertImage('Shelf');
    await page.getByRole('button', { name: 'Divider' }).click();
    await insertButton('Read');
    await page.keyboard.type('after ');
    await page.getByRole('button', { name: 'Merge tag' }).click();
    await page.getByRole('menuitem', { name: '{{email}}' }).click();
    await isBackInText();
    const all = ['Hello there', 'button Shop', 'image Shelf', 'line', 'button Read', 'after {{email}}'];
    await expect.poll(lines).toEqual(all);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expect.poll(lines).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(lines).toEqual(all);
  });

  test('goes into the middle of a text, behind a selection and into a list without taking anything away', async () => {
    for (let times = 0; times < 'there'.length; times++) await page.keyboard.press('ArrowLeft');
    await insertButton('Middle');
    await page.keyboard.type('over ');
    await expect.poll(lines).toEqual(['Hello', 'button Middle', 'over there']);
    await page.keyboard.press('Shift+End');
    await insertImage('Behind');
    await expect.poll(lines).toEqual(['Hello', 'button Middle', 'over there', 'image Behind']);
    await page.getByRole('button', { name: 'Bulleted list', exact: true }).click();
    await insertButton('Listed');
    await page.keyboard.type('x');
    await expect
      .poll(async () => (await editor().locator('ul').innerText()).split(/\s+/))
      .toEqual(['', 'Listed', 'x']);
  });

  test('goes before another block without an empty line between them', async () => {
    await insertButton('Last');
    await selectButton();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByText('Button selected').count()).toBe(0);
    await insertImage('Shelf');
    await expect.poll(lines).toEqual(['Hello there', 'image Shelf', 'button Last']);
    await page.getByText('Image selected').waitFor();
    await page.getByRole('button', { name: 'Add a block' }).click();
    await page.getByRole('menuitem', { name: 'Spacer' }).click();
    await page.getByText('Spacer selected').waitFor();
    await page.getByRole('button', { name: 'Divider' }).click();
    const all = ['Hello there', 'image Shelf', '', 'line', 'button Last'];
    await expect.poll(lines).toEqual(all);
    await page.keyboard.type('below');
    await expect.poll(lines).toEqual([...all.slice(0, 4), 'below', 'button Last']);
  });

  test('is kept when it is selected and somebody types, pastes or inserts', async () => {
    await insertButton('Shop');
    await selectButton();
    await page.keyboard.type('typed');
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'typed']);
    await selectButton();
    await paste(page, { 'text/plain': 'pasted' });
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'pasted', 'typed']);
    await selectButton();
    await page.getByRole('button', { name: 'Merge tag' }).click();
    await page.getByRole('menuitem', { name: '{{email}}' }).click();
    await isBackInText();
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', '{{email}}', 'pasted', 'typed']);
    await selectButton();
    await insertImage('Shelf');
    await page.getByRole('button', { name: 'Heading', exact: true }).click();
    await expect
      .poll(lines)
      .toEqual(['Hello there', 'button Shop', 'image Shelf', '{{email}}', 'pasted', 'typed']);
    await selectButton();
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await dialog().getByLabel('URL').fill('https://linked.test/');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
    await expect.poll(async () => (await lines()).slice(0, 3)).toEqual(LINKED);
    await expect.poll(() => editor().getByRole('link', { name: 'https://linked.test/' }).count()).toBe(1);
  });

  test('is still a button after it was cut and pasted', async () => {
    await insertButton('Shop');
    await selectButton();
    await page.keyboard.press('Control+x');
    await expect.poll(lines).toEqual(['Hello there']);
    await page.keyboard.press('Control+v');
    await expect.poll(lines).toEqual(['Hello there', 'button Shop']);
    await editor().locator('.mail-button').click();
    await expect.poll(() => settings('Button').getByLabel('URL').inputValue()).toContain('/elsewhere');
  });

  test('opens its fields when it is clicked, and leaves the page by no click', async () => {
    await insertButton('Shop');
    await insertImage('Shelf');
    await editor().locator('.mail-button').click();
    await expect
      .poll(() => settings('Button').getByLabel('URL').inputValue())
      .toBe(`${walk.server.url}/elsewhere`);
    await expectNothingFromAxe(page);
    await settings('Button').getByLabel('Button text').fill('Visit');
    await expect.poll(lines).toEqual(['Hello there', 'button Visit', 'image Shelf']);

    await editor().locator('img').click();
    await settings('Image').getByLabel('Alt text').fill('A shelf');
    await settings('Image').getByLabel('Width in pixels').fill('120');
    await expect.poll(lines).toEqual(['Hello there', 'button Visit', 'image A shelf']);
    await expect.poll(() => editor().locator('img').getAttribute('width')).toBe('120');

    await editor().getByRole('link', { name: 'there' }).click();
    await editor()
      .getByRole('link', { name: 'there' })
      .click({ modifiers: ['Control'] });
    await editor().getByRole('link', { name: 'there' }).click({ button: 'middle' });
    expect([new URL(page.url()).pathname, page.context().pages().length]).toEqual([templatePath, 1]);
    const before = ['Hello there', 'button Shop', 'image Shelf'];
    // Changes in quick succession are one step.
    for (let steps = 0; steps < 3 && (await lines()).join() !== before.join(); steps++)
      await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(lines).toEqual(before);
  });

  test('can be edited and removed with the keyboard alone', async () => {
    await insertButton('Shop');
    await selectButton();
    await expectNothingFromAxe(page);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Visit');
    await expect.poll(lines).toEqual(['Hello there', 'button Visit']);
    await settings('Button').getByRole('button', { name: 'Delete block' }).press('Enter');
    await expect.poll(lines).toEqual(['Hello there']);
  });

  test('has one Tab stop for its tools, and arrow keys between them', async () => {
    const focused = () => page.evaluate('document.activeElement.ariaLabel');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(focused).toBe('Add a block');
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe('Bold');
    // The focus moves after the key press, and the next press counts from there.
    await page.keyboard.press('ArrowLeft');
    await expect.poll(focused).toBe('Add a block');
    await page.keyboard.press('ArrowLeft');
    // The focus wraps around, and skips a button that only narrow windows show.
    await expect.poll(focused).toBe('Merge tag');
    await page.keyboard.press('Home');
    await expect.poll(focused).toBe('Add a block');
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe('Bold');
    await page.keyboard.press('Tab');
    await expect.poll(focused).toBe('Message');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(focused).toBe('Bold');
    await expectNothingFromAxe(page);
    await page.keyboard.press('Shift+Tab');
    await expect
      .poll(() => page.evaluate('document.activeElement.closest("[role=toolbar]") === null'))
      .toBe(true);
  });

  test('is selected before Backspace or Delete beside it removes it', async () => {
    await insertButton('Shop');
    await page.keyboard.type('below');
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Home');
    await nextFrame();
    await page.keyboard.press('Backspace');
    await page.getByText('Button selected').waitFor();
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Control+Home');
    await nextFrame();
    await page.keyboard.press('End');
    await nextFrame();
    await page.keyboard.press('Delete');
    await page.getByText('Button selected').waitFor();
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Delete');
    await expect.poll(lines).toEqual(['Hello there', 'below']);
  });

  test('asks before it drops unsupported content of another editor', async () => {
    const inside = [{ type: 'variable', attrs: { name: 'firstName', fallback: 'you' } }];
    const content = [
      { type: 'poll', content: [{ type: 'paragraph', content: inside }] },
      { type: 'button', attrs: { label: 'Shop', href: 'https://shop.test/', borderWidth: 2 } },
    ];
    const made = await page.request.post('/api/v1/templates', {
      data: { name: 'Foreign', content: JSON.stringify({ type: 'doc', content }) },
      headers: { origin: walk.server.url },
    });
    await page.goto(`/templates/${(await made.json()).id}`);
    await page.getByText('does not support: poll, button borderWidth.').waitFor();
    await expect.poll(() => editor().count()).toBe(0);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Edit anyway' }).click();
    await expect.poll(lines).toEqual(['{{firstName,fallback=you}}', 'button Shop']);
  });

  test('is dragged into a column and back, and nothing is lost', async () => {
    const columns = { type: 'columns', content: [column('Left'), column('Right')] };
    const made = await page.request.post('/api/v1/templates', {
      data: {
        name: 'Columns',
        content: { type: 'doc', content: [line('Mover'), columns, line('Last')] },
      },
      headers: { origin: walk.server.url },
    });
    // The whole editor is visible.
    await page.setViewportSize({ width: 1280, height: 1300 });
    await page.goto(`/templates/${(await made.json()).id}`);
    await expect.poll(lines).toEqual(['Mover', 'LeftRight', 'Last']);
    await drag('Mover', 'Left');
    await expect.poll(lines).toEqual(['MoverLeftRight', 'Last']);
    await drag('Mover', 'Last');
    await expect.poll(lines).toEqual(['LeftRight', 'Mover', 'Last']);
    await page.keyboard.press('Control+z');
    await expect.poll(lines).toEqual(['MoverLeftRight', 'Last']);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('keeps lists from Word as lists', async () => {
    const html = `<p>Before</p>${wordItem('·', 'One')}${wordItem('·', 'Two')}<p>Between</p>${wordItem('1.', 'First')}${wordItem('2.', 'Second')}`;
    await paste(page, { 'text/html': html, 'text/plain': 'x' });
    await expect.poll(lines).toEqual(['Hello thereBefore', 'OneTwo', 'Between', 'FirstSecond']);
    expect(await editor().locator('ul > li').count()).toBe(2);
    expect(await editor().locator('ol > li').count()).toBe(2);
  });

  test('refuses files that are no images, and keeps images of the web', async () => {
    await pasteFiles(page, [{ name: 'terms.pdf', type: 'application/pdf' }], 'drop');
    await page.getByText('Only images can be added here').waitFor();
    await pasteFiles(page, [{ name: 'broken.png', type: 'image/png' }]);
    await page.getByText('must be a PNG, JPEG, GIF, WebP or AVIF image').waitFor();
    await paste(page, { 'text/html': `<img src="${walk.server.url}/icon.svg" alt="Copied">` });
    await expect.poll(lines).toEqual(['Hello there', 'image Copied']);
    // As Google Docs has it on the clipboard.
    const picture = (alt: string) => `<span><img src="${walk.server.url}/icon.svg" alt="${alt}"></span>`;
    const docs = `<b id="docs-internal-guid-1"><p>One</p><p>${picture('A')}</p><p>${picture('B')} two ${picture('C')}</p></b>`;
    await paste(page, { 'text/html': docs });
    await expect
      .poll(lines)
      .toEqual(['Hello there', 'image Copied', 'One', 'image A', 'image B', 'two', 'image C']);
    expect(walk.complaints).toEqual([]);
  });
});
