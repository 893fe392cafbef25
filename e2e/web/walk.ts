/** A complete server and a browser, for tests that use the product like a person. */
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { CONTRAST, findViolations } from '../../src/testing/axe.ts';
import { findBrowser, shareBrowser } from '../../src/testing/browser.ts';
import { startTestServer, type TestServer } from '../../src/testing/test-server.ts';

/** Null if there is no browser; the tests are then skipped. */
export const browserPath = findBrowser();

const PATIENCE_MS = 20_000;

export interface Walk {
  server: TestServer;
  /** All console errors and policy violations. */
  complaints: string[];
  visit(path?: string, viewport?: { width: number; height: number }): Promise<Page>;
  close(): Promise<void>;
}

export async function startWalk(env: Record<string, string> = {}, httpPort?: number): Promise<Walk> {
  const doors = ['http', 'smtp', 'worker'] as const;
  const server = await startTestServer({ doors: [...doors], env, httpPort, webFolder: 'dist/web' });
  const browser: Browser = await shareBrowser(browserPath!);
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  return {
    server,
    complaints,
    async visit(path, viewport = { width: 1280, height: 800 }) {
      const context = await browser.newContext({ baseURL: server.url, viewport, reducedMotion: 'reduce' });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        // The browser logs every response of 400 and above as an error; tests cause those on purpose.
        const isAnswer = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
      });
      if (path !== undefined) await page.goto(path);
      return page;
    },
    async close() {
      for (const context of contexts) await context.close();
      await server.close();
    },
  };
}

/** Signs up as the owner without the form, which the test of the first start covers. */
export async function signUp(walk: Walk): Promise<Page> {
  const page = await walk.visit();
  const made = await page.request.post('/api/v1/auth/setup', {
    data: {
      token: walk.server.setupToken,
      name: 'Ada Lovelace',
      email: 'ada@shop.example',
      password: 'correct horse battery',
    },
    headers: { origin: walk.server.url },
  });
  expect(made.status()).toBe(200);
  await page.goto('/');
  return page;
}

/**
 * Goes to another page of the app as its links do, which costs much less than loading the app again. Data that was
 * just shown may be up to 15 seconds old.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.locator('h1').first().evaluate(`(heading) => void (heading.dataset.left = '')`);
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await page.locator('h1:not([data-left])').waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
}

/** Fails on anything that axe finds, in light and dark mode. */
export async function expectNothingFromAxe(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    // Everything except colours is the same in both modes.
    const told = await findViolations(page, colorScheme === 'dark' ? { only: [CONTRAST] } : {});
    expect({ page: new URL(page.url()).pathname, colorScheme, told }).toMatchObject({ told: [] });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Chooses an action from the menu beside the buttons of a page. */
export async function chooseAction(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Opens the list of a field and chooses the option with this name. */
export async function chooseOption(field: Locator, option: string): Promise<void> {
  const page = field.page();
  await field.click();
  await page
    .getByRole('option')
    .filter({ has: page.getByText(option, { exact: true }) })
    // A note beside the name, such as the offset of a time zone, may have the same text.
    .first()
    .click();
}

/** Opens everything about a draft that is not the letter itself. */
export async function openCampaignSettings(page: Page): Promise<Locator> {
  const summary = page.getByRole('group', { name: 'Audience and sender' });
  await summary.getByRole('button').first().click();
  return page.getByRole('dialog', { name: 'Audience and sender' });
}

export async function closeCampaignSettings(page: Page): Promise<void> {
  const settings = page.getByRole('dialog', { name: 'Audience and sender' });
  await settings.getByRole('button', { name: 'Close' }).click();
  await settings.waitFor({ state: 'detached' });
}

/** Goes from the recipients past the check to the time of a campaign. */
export async function goToSendTime(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog
    .getByText(/\d recipients?/)
    .first()
    .waitFor();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('region', { name: 'Before you send' }).waitFor();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByLabel('When').waitFor();
}
