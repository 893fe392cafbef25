/** A walk through every page in German: nothing is left in English, axe finds nothing, and nothing fails. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillEveryPage } from './every-page.ts';
import {
  browserPath,
  chooseOption,
  expectNothingFromAxe,
  goWithin,
  signUp,
  startWalk,
  type Walk,
} from './walk.ts';

/** Pages that need data have it in their path. */
const ROUTES = [...readFileSync('web/router.tsx', 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(
  ([, path]) => path!,
);
const OUTSIDE = ['/sign-in', '/setup', '/forgotten', '/reset'];
const LEFT_OUT = ['/invitation', '/mail', '$threadId', '$approvalId', ...OUTSIDE];
const TEXTS = new URL('../../web/texts/', import.meta.url);

/** Collects the English texts that are different in German. */
function collect(english: unknown, german: unknown, found: Set<string>): void {
  if (typeof english === 'string') {
    if (english !== german) found.add(english);
    // A word may be the same as another one that is not translated.
    else found.delete(english);
  } else if (typeof english === 'object' && english !== null) {
    for (const [name, text] of Object.entries(english))
      collect(text, (german as Record<string, unknown>)[name], found);
  }
}

async function findEnglishTexts(): Promise<Set<string>> {
  const found = new Set<string>();
  const modules = readdirSync(new URL('en/', TEXTS)).filter((name) => !name.includes('.test.'));
  for (const path of ['.ts', ...modules.map((name) => `/${name}`)]) {
    const load = (language: string) => import(new URL(`${language}${path}`, TEXTS).href);
    collect(await load('en'), await load('de'), found);
  }
  return found;
}

/** Returns what the page shows and what it says to a screen reader. */
async function wordsOf(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const words = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) words.add(walker.currentNode.data.trim());
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
      for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
        if (element.hasAttribute(name)) words.add(element.getAttribute(name).trim());
    return [...words];
  })()`);
}

/** German words are long: nothing makes the page wider than a phone, and what is chosen in a list can be read. */
async function expectToFitPhone(page: Page): Promise<void> {
  const wide = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 800 });
  const findCut = () =>
    page.evaluate<string[]>(`[
      ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
      ...[...document.querySelectorAll('main [role=combobox], main [role=combobox] *')]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1)
        .map((field) => field.textContent),
    ]`);
  await expect.poll(findCut).toEqual([]);
  await page.setViewportSize(wide);
}

describe.skipIf(browserPath === null)('in German', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let ids: Record<string, string>;
  let english: Set<string>;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    ids = await fillEveryPage(walk, page);
    english = await findEnglishTexts();
    // The name of a language is written in it, DNS providers call a value so, and the data has a word of its own.
    for (const word of ['English', 'Auto', 'Welcome']) english.delete(word);
  });
  afterAll(() => walk.close());

  async function expectGerman(shown: Page): Promise<void> {
    expect(await shown.locator('html').getAttribute('lang')).toBe('de');
    const left = (await wordsOf(shown)).filter((word) => english.has(word));
    expect([new URL(shown.url()).pathname, left]).toEqual([new URL(shown.url()).pathname, []]);
  }

  test('the language is chosen in the settings, and dates are written in it', async () => {
    await page.goto('/settings');
    const field = page.getByRole('combobox', { name: 'Language' });
    await chooseOption(field, 'Deutsch');
    await page.locator('form').filter({ has: field }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    await goWithin(page, '/emails');
    await page.getByLabel('Von Datum').fill('2. Mai 2026');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe('2026-05-02');
    await expect.poll(() => page.getByLabel('Von Datum').inputValue()).toBe('02.05.2026');
  });

  test.each(ROUTES.filter((route) => !LEFT_OUT.includes(route)))('%s is in German', async (route) => {
    const path = route.replaceAll(/\$\w+/g, (name) => ids[name]!);
    if (route === '/' || route.startsWith('/mail')) await page.goto(path);
    else await goWithin(page, path);
    await page.locator('h1').first().waitFor();
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
    await expectGerman(page);
    await expectNothingFromAxe(page);
    await expectToFitPhone(page);
  });

  test('a browser that prefers German gets it before signing in, and the other language by its name', async () => {
    const visit = await walk.visit();
    await visit.context().setExtraHTTPHeaders({ 'accept-language': 'de-AT,de;q=0.9' });
    for (const path of OUTSIDE) {
      await visit.goto(path);
      await visit.getByRole('heading', { level: 1 }).waitFor();
      await expectGerman(visit);
      await expectNothingFromAxe(visit);
    }
    await visit.goto('/sign-in');
    await visit.getByRole('button', { name: 'English' }).click();
    await visit.getByRole('heading', { name: 'Sign in' }).waitFor();

    // The account is in German, so the app is too.
    await visit.getByLabel('Email address').fill('ada@shop.example');
    await visit.getByLabel('Password').fill('correct horse battery');
    await visit.getByRole('button', { name: 'Sign in', exact: true }).click();
    await visit.getByRole('heading', { name: 'Übersicht' }).waitFor();
    await expectGerman(visit);
  });

  test('has caused no errors', () => {
    expect(walk.complaints).toEqual([]);
  });
});
