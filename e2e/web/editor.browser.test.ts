import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pasteFiles, paste } from './paste.ts';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

// Larger than what pages use as spacers.
const PICTURE = `data:image/png;base64,${'A'.repeat(400)}`;

const LINKED = ['Hello there', 'button Shop', 'https://linked.test/'];

describe.skipIf(browserPath === null)('what is made in the editor', { timeout: 90_000 }, () => {
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
    await expect.poll(goToEnd, { timeout: 10_000 }).toBe('there'.length);
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

  function dialog() {
    return page.getByRole('dialog');
  }

  /** The lines of the document, without an empty one at its end. */
  async function lines(): Promise<string[]> {
    const found = (await page.evaluate(`[...document.querySelectorAll('.tiptap > *')].map((line) => {
      const button = line.querySelector('.mail-button');
      if (button) return 'button ' + button.textContent;
      if (line.matches('img')) return 'image ' + line.alt;
      return line.matches('hr') ? 'line' : line.innerText.trim();
    })`)) as string[];
    return found.at(-1) === '' ? found.slice(0, -1) : found;
  }

  /** The editor has the focus again, and the caret that belongs to it. */
  async function isBackInText(): Promise<void> {
    await dialog().waitFor({ state: 'detached' });
    const hasCaret = `document.activeElement.matches('.tiptap') && document.activeElement.contains(getSelection().focusNode)`;
    await expect.poll(() => page.evaluate(hasCaret)).toBe(true);
    await nextFrame();
  }

  /** The editor hears of a moved caret a moment after the key. */
  async function nextFrame(): Promise<void> {
    await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)))`);
  }

  async function selectButton(): Promise<void> {
    await expect.poll(() => tryToSelectButton(), { timeout: 10_000 }).toBe(1);
  }

  async function tryToSelectButton(): Promise<number> {
    await page.keyboard.press('Control+Home');
    await nextFrame();
    await page.keyboard.press('ArrowDown');
    await nextFrame();
    return page.getByText('A button is selected').count();
  }

  async function insertButton(text: string): Promise<void> {
    await page.getByRole('button', { name: 'Button', exact: true }).click();
    await dialog().getByLabel('Text on the button').fill(text);
    await dialog().getByLabel('Address').fill(`${walk.server.url}/elsewhere`);
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
  }

  async function insertImage(alt: string): Promise<void> {
    await page.getByRole('button', { name: 'Image', exact: true }).click();
    await dialog().getByLabel('Address of the image').fill(`${walk.server.url}/icon.svg`);
    await dialog().getByLabel('What it shows').fill(alt);
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
  }

  test('stays when more is inserted or written behind it, and undo takes back one thing at a time', async () => {
    await insertButton('Shop');
    await insertImage('Shelf');
    await page.getByRole('button', { name: 'Dividing line' }).click();
    await insertButton('Read');
    await page.keyboard.type('after ');
    await page.getByRole('button', { name: 'Personal text' }).click();
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
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await insertButton('Listed');
    await page.keyboard.type('x');
    await expect
      .poll(async () => (await editor().locator('ul').innerText()).split(/\s+/))
      .toEqual(['', 'Listed', 'x']);
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
    await page.getByRole('button', { name: 'Personal text' }).click();
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
    await dialog().getByLabel('Address').fill('https://linked.test/');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await isBackInText();
    await expect.poll(async () => (await lines()).slice(0, 3)).toEqual(LINKED);
    expect(await editor().getByRole('link', { name: 'https://linked.test/' }).count()).toBe(1);
  });

  test('is still a button after it was cut and pasted', async () => {
    await insertButton('Shop');
    await selectButton();
    await page.keyboard.press('Control+x');
    await expect.poll(lines).toEqual(['Hello there']);
    await page.keyboard.press('Control+v');
    await expect.poll(lines).toEqual(['Hello there', 'button Shop']);
    await editor().locator('.mail-button').click();
    await expect.poll(() => dialog().getByLabel('Address').inputValue()).toContain('/elsewhere');
  });

  test('opens its fields when it is clicked, and leaves the page by no click', async () => {
    await insertButton('Shop');
    await insertImage('Shelf');
    await editor().locator('.mail-button').click();
    await dialog().getByRole('heading', { name: 'Edit the button' }).waitFor();
    expect(await dialog().getByLabel('Address').inputValue()).toBe(`${walk.server.url}/elsewhere`);
    await expectNothingFromAxe(page);
    await dialog().getByLabel('Text on the button').fill('Visit');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(lines).toEqual(['Hello there', 'button Visit', 'image Shelf']);

    await editor().locator('img').click();
    await dialog().getByLabel('What it shows').fill('A shelf');
    await dialog().getByLabel('Width in pixels').fill('120');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await expect.poll(lines).toEqual(['Hello there', 'button Visit', 'image A shelf']);
    expect(await editor().locator('img').getAttribute('width')).toBe('120');

    await editor().getByRole('link', { name: 'there' }).click();
    await editor()
      .getByRole('link', { name: 'there' })
      .click({ modifiers: ['Control'] });
    await editor().getByRole('link', { name: 'there' }).click({ button: 'middle' });
    expect([new URL(page.url()).pathname, page.context().pages().length]).toEqual([templatePath, 1]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'image Shelf']);
  });

  test('can be edited and removed with the keyboard alone', async () => {
    await insertButton('Shop');
    await selectButton();
    await expectNothingFromAxe(page);
    await page.keyboard.press('Enter');
    await dialog().getByRole('heading', { name: 'Edit the button' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Visit');
    await page.keyboard.press('Enter');
    await expect.poll(lines).toEqual(['Hello there', 'button Visit']);
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Remove' }).press('Enter');
    await expect.poll(lines).toEqual(['Hello there']);
  });

  test('is selected before Backspace or Delete beside it removes it', async () => {
    await insertButton('Shop');
    await page.keyboard.type('below');
    await expect.poll(lines).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Home');
    await nextFrame();
    await page.keyboard.press('Backspace');
    await page.getByText('A button is selected').waitFor();
    expect(await lines()).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Control+Home');
    await nextFrame();
    await page.keyboard.press('End');
    await nextFrame();
    await page.keyboard.press('Delete');
    await page.getByText('A button is selected').waitFor();
    expect(await lines()).toEqual(['Hello there', 'button Shop', 'below']);
    await page.keyboard.press('Delete');
    await expect.poll(lines).toEqual(['Hello there', 'below']);
  });

  test('asks before it drops what another editor has written', async () => {
    const inside = [{ type: 'variable', attrs: { id: 'firstName', fallback: 'you' } }];
    const content = [
      { type: 'section', content: [{ type: 'paragraph', content: inside }] },
      { type: 'button', attrs: { label: 'Shop', href: 'https://shop.test/', buttonColor: '#ff0000' } },
    ];
    const made = await page.request.post('/api/v1/templates', {
      data: { name: 'Foreign', content: JSON.stringify({ type: 'doc', content }) },
      headers: { origin: walk.server.url },
    });
    await page.goto(`/templates/${(await made.json()).id}`);
    await page.getByText('section, variable, button label, button href, button buttonColor').waitFor();
    expect(await editor().count()).toBe(0);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Edit without them' }).click();
    await expect.poll(lines).toEqual(['{{firstName,fallback=you}}', 'button Shop']);
  });

  test('tells what to do with a picture that is pasted or dropped', async () => {
    const note = dialog().getByText('Pictures cannot be pasted or dropped here');
    for (const way of ['paste', 'drop'] as const) {
      await pasteFiles(page, [{ name: 'shelf.png', type: 'image/png' }], way);
      await note.waitFor();
      await page.keyboard.press('Escape');
      await isBackInText();
    }
    await paste(page, { 'text/html': `<p>Text <img src="${PICTURE}"> around</p>`, 'text/plain': 'Text' });
    await note.waitFor();
    await expectNothingFromAxe(page);
    await dialog().getByLabel('Address of the image').fill(`${walk.server.url}/icon.svg`);
    await dialog().getByLabel('What it shows').fill('Shelf');
    await dialog().getByRole('button', { name: 'Insert' }).click();
    await expect.poll(lines).toEqual(['Hello thereText around', 'image Shelf']);
    await pasteFiles(page, [{ name: 'terms.pdf', type: 'application/pdf' }], 'drop');
    await page.getByText('Files cannot be put into this text').waitFor();
    await paste(page, { 'text/html': `<img src="${walk.server.url}/icon.svg" alt="Copied">` });
    await expect.poll(lines).toEqual(['Hello thereText around', 'image Shelf', 'image Copied']);
    expect(walk.complaints).toEqual([]);
  });
});
