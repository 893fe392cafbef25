/** Every page begins at the same left edge, at every width. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, goWithin, signUp, startWalk, type Walk } from './walk.ts';

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

const isServer = (url: URL) => url.pathname === '/' || url.pathname.startsWith('/api/');

/** Runs in the page. */
function isCut(element: unknown): boolean {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number };
  return scrollWidth > clientWidth;
}

/** Runs in the page. Links in running text and in lists may be lower. */
const SMALL_CONTROLS = `[...document.querySelectorAll(
  'button, summary, input:not([type=hidden], [aria-hidden]), textarea, [role=tab], [role=menuitem], [role=option], nav a'
)].flatMap((control) => {
  const isBox = control.type === 'checkbox' || control.getAttribute('role') === 'switch';
  const { width, height } = ((isBox && control.closest('label')) || control).getBoundingClientRect();
  const area = parseFloat(getComputedStyle(control, '::after').top) || 0;
  return width > 1 && height - 2 * Math.min(area, 0) < 39.5 ? [control.outerHTML.slice(0, 120)] : [];
})`;

const HELLO = { type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] };
const COLUMN = { type: 'column', content: [HELLO] };
const ROW = { type: 'tableRow', content: [{ type: 'tableCell', content: [HELLO] }] };

/** One block of every kind, by the name of its settings. */
const BLOCKS: Record<string, object> = {
  Text: HELLO,
  Heading: { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Hello' }] },
  Button: { type: 'button', attrs: { text: 'Read', url: 'https://shop.test' } },
  Columns: { type: 'columns', content: [COLUMN, COLUMN] },
  Divider: { type: 'horizontalRule' },
  Spacer: { type: 'spacer' },
  Quote: { type: 'blockquote', content: [HELLO] },
  List: { type: 'bulletList', content: [{ type: 'listItem', content: [HELLO] }] },
  Table: { type: 'table', content: [ROW, ROW] },
  Section: { type: 'section', content: [HELLO] },
  'Social links': { type: 'social', attrs: { links: [{ network: 'website', url: 'https://shop.test' }] } },
  HTML: { type: 'html', attrs: { html: '<b>Hello</b>' } },
  Footer: { type: 'footer', attrs: { text: 'Hello', address: 'Quay', unsubscribe: true } },
};

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

  async function create(path: string, data: unknown): Promise<string> {
    const made = await page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    expect([path, made.status()]).toEqual([path, 200]);
    const { id, contactId } = await made.json();
    return id ?? contactId;
  }

  const createTemplate = (blocks: object[] = [HELLO]) =>
    create('/templates', {
      name: 'Welcome',
      subject: 'Welcome',
      content: { type: 'doc', content: blocks },
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

  /** Opens a page on a touch screen. `look` returns its problems. */
  async function openPhone(): Promise<{ phone: Page; look(): Promise<object> }> {
    const context = await page
      .context()
      .browser()!
      .newContext({
        baseURL: walk.server.url,
        storageState: await page.context().storageState(),
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        colorScheme: 'dark',
      });
    const phone = await context.newPage();
    const look = async () => ({
      small: await phone.evaluate(SMALL_CONTROLS),
      width: await phone.evaluate('document.documentElement.scrollWidth'),
    });
    return { phone, look };
  }

  test('on a touch screen controls are large enough for a finger, and nothing scrolls sideways', async () => {
    const { phone, look } = await openPhone();
    await phone.goto('/settings');
    await phone.getByRole('heading', { level: 1 }).waitFor();
    for (const path of PATHS) {
      await goWithin(phone, path);
      await expect.poll(async () => ({ path, ...(await look()) })).toEqual({ path, small: [], width: 390 });
    }
    await phone.goto(`/templates/${await createTemplate()}`);
    await phone.getByRole('toolbar').waitFor();
    await expect.poll(look).toEqual({ small: [], width: 390 });
    await phone.getByRole('tab', { name: 'Preview' }).tap();
    await phone.getByRole('radio', { name: 'Phone' }).waitFor();
    await expect.poll(look).toEqual({ small: [], width: 390 });
    await phone.getByRole('button', { name: 'Open navigation' }).tap();
    await phone.getByRole('dialog').getByRole('button', { name: 'Search…' }).tap();
    await phone.getByRole('option').first().waitFor();
    await expect.poll(look).toEqual({ small: [], width: 390 });
    await phone.context().close();
  }, 120_000);

  test('so are the settings of every block, the rows of lists, and what lists and calendars open', async () => {
    const { phone, look } = await openPhone();
    const fine = { small: [], width: 390 };
    await phone.goto(`/templates/${await createTemplate(Object.values(BLOCKS))}`);
    const blocks = phone.getByRole('textbox', { name: 'Message' }).locator('> *');
    for (const [at, name] of Object.keys(BLOCKS).entries()) {
      await blocks.nth(at).tap();
      await phone.getByRole('button', { name: 'Block settings' }).tap();
      await phone.getByRole('dialog').getByRole('heading', { name, exact: true }).waitFor();
      await expect.poll(async () => ({ name, ...(await look()) })).toEqual({ name, ...fine });
      await phone.keyboard.press('Escape');
    }

    const book = await create('/contactBooks', { name: 'Readers', doubleOptInEnabled: true });
    const email = 'somebody.with.a.long.address@example.org';
    const contact = await create(`/contactBooks/${book}/contacts`, { email, firstName: 'Somebody' });
    await create('/topics', { name: 'News' });
    for (const path of ['/topics', `/contact-books/${book}`, `/contact-books/${book}/contacts/${contact}`]) {
      await phone.goto(path);
      await phone
        .getByText(path === '/topics' ? 'News' : email)
        .first()
        .waitFor();
      await expect.poll(async () => ({ path, ...(await look()) })).toEqual({ path, ...fine });
    }

    const filter = { all: [{ field: 'createdAt', op: 'before', value: '2026-01-01T09:00:00Z' }] };
    const segment = await create('/segments', { name: 'Old', contactBookId: book, filter });
    await phone.goto(`/segments/${segment}`);
    await phone.getByRole('button', { name: 'Open calendar' }).tap();
    const popup = phone.getByRole('dialog').filter({ has: phone.getByRole('grid') });
    await expect.poll(() => popup.evaluate(isCut)).toBe(false);
    await expect.poll(look).toEqual(fine);
    await phone.context().close();
    await page.request.delete(`/api/v1/segments/${segment}`, { headers: { origin: walk.server.url } });
  }, 120_000);

  test('the chosen theme and the frame of the page are there before the app is', async () => {
    const app = /\/assets\/(?!start-).*\.js/;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(`localStorage.setItem('posthorn.theme', 'dark')`);
    await page.route(app, (route) => route.abort());
    await page.goto('/');
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await page.locator('#frame').waitFor();
    await page.goto('/sign-in');
    expect(await page.locator('#frame').isVisible()).toBe(false);
    await page.unroute(app);
    await page.evaluate(`localStorage.removeItem('posthorn.theme')`);
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.locator('#frame').isVisible()).toBe(false);
  });

  test('a tab has a whole ring when the keyboard reaches it, and none when it is clicked', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`/templates/${await createTemplate()}`);
    const ring = () =>
      page.evaluate(`(({ role, outlineStyle, outlineOffset }) => [role, outlineStyle, outlineOffset])({
        role: document.activeElement.getAttribute('role'), ...getComputedStyle(document.activeElement) })`);
    await page.getByRole('tab', { name: 'Preview' }).click();
    await expect.poll(ring).toEqual(['tab', 'none', '-2px']);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(ring).toEqual(['tab', 'solid', '-2px']);
  });

  test('no page scrolls sideways, however long a word in it is', async () => {
    const word = 'Rechtsschutzversicherungsgesellschaftsbedingungenänderungsanzeige';
    const headers = { origin: walk.server.url };
    for (const [path, data] of [
      ['/topics', { name: word.slice(0, 60) }],
      ['/contactBooks', { name: word.slice(0, 60) }],
    ] as const) {
      expect((await page.request.post(`/api/v1${path}`, { data, headers })).ok()).toBe(true);
    }
    const [book] = await (await page.request.get('/api/v1/contactBooks')).json();
    const form = await page.request.post('/api/v1/forms', {
      data: { name: word, contactBookId: book.id },
      headers,
    });
    await page.setViewportSize({ width: 390, height: 780 });
    for (const path of [`/forms/${(await form.json()).id}`, `/contact-books/${book.id}`]) {
      await page.goto(path);
      await page.getByText(word.slice(0, 60)).first().waitFor();
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete contact book' }).click();
    const title = page.getByRole('dialog').getByRole('heading');
    await expect.poll(() => title.evaluate(isCut)).toBe(false);
    // The first control has the focus, not the button that closes the dialog.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    await page.keyboard.press('Escape');
  });

  test('the buttons of a long dialog are in sight, and so is what went wrong', async () => {
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto('/templates');
    await page.getByRole('button', { name: 'Create template' }).first().click();
    const action = page.getByRole('dialog').getByRole('button', { name: 'Create template' });
    await action.waitFor();
    const { y, height } = (await action.boundingBox())!;
    expect(y + height).toBeLessThan(500);
    await page.getByRole('dialog').getByLabel('Name').fill('Letter');
    await page.route('**/api/v1/templates', (route) => route.abort());
    await action.click();
    const error = (await page.getByRole('dialog').getByRole('alert').boundingBox())!;
    expect(error.y).toBeGreaterThan(0);
    expect(error.y + error.height).toBeLessThan(500);
    await page.unroute('**/api/v1/templates');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a dialog waits for the server, and who leaves its page meanwhile still sees what went wrong', async () => {
    const path = '**/api/v1/topics';
    const refuse = async (meanwhile: () => Promise<unknown>) => {
      let release!: () => void;
      const isReleased = new Promise<void>((resolve) => (release = resolve));
      await page.route(path, async (route) => {
        if (route.request().method() === 'POST') await isReleased;
        await (route.request().method() === 'POST' ? route.abort() : route.continue());
      });
      await page.getByRole('button', { name: 'Create topic' }).first().click();
      await page.getByRole('dialog').getByLabel('Name').fill('Bread');
      const asked = page.waitForRequest(path);
      await page.getByRole('dialog').getByRole('button', { name: 'Create topic' }).click();
      await asked;
      await meanwhile();
      release();
    };
    await page.goto('/');
    await page.getByRole('link', { name: 'Topics' }).click();
    await refuse(async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    });
    await page.getByRole('dialog').getByText('Could not reach the server').waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Bread');
    await page.keyboard.press('Escape');
    await page.unroute(path);
    await refuse(async () => {
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
    await page.getByText('Could not reach the server').waitFor();
    await page.unroute(path);
  });

  test('what is sticky in the page stays in its place while a dialog is open', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto(`/templates/${await createTemplate()}`);
    // Elements behind a dialog have no role, so find it by the attribute.
    const toolbar = page.locator('[role=toolbar]');
    await toolbar.waitFor();
    await page.evaluate('scrollTo(0, 9999)');
    const placeOf = async () => Math.round((await toolbar.boundingBox())!.y);
    await expect.poll(placeOf).toBeLessThan(60);
    const place = await placeOf();
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await placeOf()).toBe(place);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('what is typed before the command palette is loaded is not lost', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    let release!: () => void;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route(/palette-.*\.js/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('topics');
    release();
    await expect.poll(() => page.getByLabel('Search or type a command').inputValue()).toBe('topics');
    await page.unroute(/palette-.*\.js/);
    await page.route(isServer, (route) => route.abort('connectionrefused'));
    await page.getByLabel('Search or type a command').fill('lighthouse');
    await page.getByRole('dialog').getByText('Could not reach the server').waitFor();
    await page.unroute(isServer);
    await page.getByLabel('Search or type a command').fill('appearance');
    await page.getByRole('option', { name: 'Use dark theme' }).click();
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await page.evaluate(`localStorage.removeItem('posthorn.theme')`);
  });

  test('the palette offers the buttons and the menu of the open page', async () => {
    await page.goto(`/templates/${await createTemplate()}`);
    await page.getByRole('button', { name: 'More actions' }).waitFor();
    const field = page.getByLabel('Search or type a command');
    for (const [typed, action, heading] of [
      ['delete', 'Delete template', /^Delete/],
      ['version', 'Versions', 'Versions'],
    ] as const) {
      await page.keyboard.press('Control+k');
      await field.fill(typed);
      await page.getByRole('option', { name: `${action} Action` }).click();
      await page.getByRole('heading', { name: heading }).waitFor();
      await page.locator('[role=dialog] :focus, [role=alertdialog] :focus').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: heading }).waitFor({ state: 'detached' });
    }
  });

  test('a page that could not reach the server loads by itself when the server is back', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.route(isServer, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByText('Could not reach the server').waitFor();
    await page.unroute(isServer);
    await page.getByText('No segments yet').waitFor();
  });
});
