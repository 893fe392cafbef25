/** The lists and date fields that replace the browser's own. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

const PHONE = { width: 390, height: 844 };

const idOf = (field: Locator) => field.getAttribute('id');

async function isOnPhone(popup: Locator): Promise<boolean> {
  const { x, y, width, height } = (await popup.boundingBox())!;
  return x >= 0 && y >= 0 && x + width <= PHONE.width && y + height <= PHONE.height;
}

describe.skipIf(!browserPath)('controls', () => {
  let walk: Walk;
  let page: Page;
  const options = () => page.getByRole('option');
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.ariaLabel');
  const active = () =>
    page.evaluate(`document.getElementById(
      document.activeElement.getAttribute('aria-activedescendant'))?.querySelector('span')?.innerText`);

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    await page.goto('/?days=7&zone=UTC');
    await page.getByLabel('Period').waitFor();
  });

  afterAll(async () => {
    expect(walk.complaints).toEqual([]);
    await walk.close();
  });

  test('no page has a native list or date field', async () => {
    for (const path of ['/', '/emails', '/queue', '/segments', '/campaigns', '/topics', '/team', '/brand']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const native = page.locator('select, input[type=date], input[type=datetime-local], input[type=time]');
      await expect.poll(() => native.count()).toBe(0);
    }
    await page.goto('/?days=7&zone=UTC');
  });

  test('a short list works by keyboard: letters, arrows, Enter, Escape and Tab', async () => {
    const by = page.getByLabel('Group by');
    await by.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options().count()).toBe(4);
    await expect.poll(active).toBe('Day');
    await expectNothingFromAxe(page);
    await page.keyboard.press('w');
    await expect.poll(active).toBe('Week');
    await page.keyboard.press('End');
    await expect.poll(active).toBe('Month');
    await page.keyboard.press('Escape');
    await expect.poll(() => options().count()).toBe(0);
    await expect.poll(() => by.innerText()).toBe('Day');
    await page.keyboard.press('w');
    await expect.poll(active).toBe('Week');
    await page.keyboard.press('Enter');
    await expect.poll(() => by.innerText()).toBe('Week');
    await expect.poll(focused).toBe(await idOf(by));
    await page.keyboard.press(' ');
    await page.keyboard.press('ArrowUp');
    await expect.poll(active).toBe('Day');
    await page.keyboard.press('Tab');
    await expect.poll(() => by.innerText()).toBe('Day');
    await expect.poll(focused).toBe(await idOf(page.getByLabel('Domain')));
    await expect.poll(() => options().count()).toBe(0);
  });

  test('a long list is searched: time zones by any part of their name, with their offset', async () => {
    const zone = page.getByLabel('Time zone', { exact: true });
    await zone.click();
    await expect.poll(() => options().count()).toBeGreaterThan(400);
    await expectNothingFromAxe(page);
    await page.keyboard.type('kolk');
    await expect
      .poll(() => options().allInnerTexts())
      .toEqual([expect.stringMatching(/Kolkata\s+UTC\+5:30/)]);
    await page.keyboard.type('x');
    await page.getByText('No match').waitFor();
    await page.keyboard.press('Backspace');
    await expect.poll(() => options().count()).toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => zone.innerText()).toMatch(/Kolkata/);
    await expect.poll(() => page.url()).toMatch(/Calcutta|Kolkata/);
    await expect.poll(focused).toBe(await idOf(zone));
    await page.keyboard.press('u');
    await page.keyboard.type('tc');
    await expect.poll(active).toBe('UTC');
    await page.keyboard.press('Tab');
    await expect.poll(() => zone.innerText()).toBe('UTC');
    await expect.poll(() => options().count()).toBe(0);
  });

  test('an open list is not left behind or above a dialog', async () => {
    for (const field of ['Period', 'Time zone']) {
      await page.getByLabel(field, { exact: true }).click();
      await options().first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search or type a command').waitFor();
      await expect.poll(() => page.getByRole('option', { name: '30 days' }).count()).toBe(0);
      await expect.poll(() => page.getByRole('option', { name: /^UTC/ }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
    // A press on another list opens it immediately.
    await page.getByLabel('Period').click();
    await page.getByRole('option', { name: '30 days' }).waitFor();
    await page.getByLabel('Time zone', { exact: true }).click();
    await page.getByPlaceholder('Type to search').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => options().count()).toBe(0);
    await page.getByLabel('Period').click();
    await page.getByRole('heading', { level: 1 }).click();
    await expect.poll(() => options().count()).toBe(0);
    await page.getByLabel('Period').click();
    await page.getByRole('link', { name: 'Emails' }).click();
    await page.getByRole('heading', { name: 'Emails' }).waitFor();
    await expect.poll(() => options().count()).toBe(0);
  });

  test('a date is typed as people write it, and what is no date is said', async () => {
    const since = page.getByLabel('From date');
    await since.fill('2 feb 2026');
    await expect.poll(() => page.url()).toContain('2026-02-02');
    await page.keyboard.press('Enter');
    await expect.poll(() => since.inputValue()).toBe('2 Feb 2026');
    await since.fill('the day after');
    await page.keyboard.press('Tab');
    await page.getByText('Enter a date such as').waitFor();
    await expect.poll(() => page.url()).not.toContain('2026-02-02');
    await expectNothingFromAxe(page);
    await since.fill('');
    await expect.poll(() => page.getByText('Enter a date such as').count()).toBe(0);
  });

  test('a day is chosen from the calendar by keyboard', async () => {
    const since = page.getByLabel('From date');
    await since.fill('31 Jan 2026');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Saturday, 31 January 2026');
    await expectNothingFromAxe(page);
    for (const [key, day] of [
      ['PageDown', 'Saturday, 28 February 2026'],
      ['Home', 'Monday, 23 February 2026'],
      ['ArrowUp', 'Monday, 16 February 2026'],
      ['ArrowLeft', 'Sunday, 15 February 2026'],
      ['Shift+PageUp', 'Saturday, 15 February 2025'],
      ['ArrowRight', 'Sunday, 16 February 2025'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(day);
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => since.inputValue()).toBe('16 Feb 2025');
    await expect.poll(() => page.getByRole('grid').count()).toBe(0);
    await expect.poll(focused).toBe('Open calendar');
    await page.keyboard.press('Enter');
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Next month' }).click();
    await page.getByText('March 2025').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('grid').count()).toBe(0);
    await expect.poll(() => since.inputValue()).toBe('16 Feb 2025');
  });

  test('inside a dialog, Escape closes the list first, and a required choice is asked for', async () => {
    await page.request.post('/api/v1/contactBooks', {
      data: { name: 'Readers' },
      headers: { origin: walk.server.url },
    });
    await page.goto('/campaigns');
    await page.getByRole('button', { name: 'Create campaign' }).first().click();
    const dialog = page.getByRole('dialog');
    const book = dialog.getByLabel('Contact book');
    await book.click();
    await page.getByRole('option', { name: 'Readers' }).waitFor();
    await expectNothingFromAxe(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => options().count()).toBe(0);
    await expect.poll(() => dialog.count()).toBe(1);
    await chooseOption(book, 'Readers');
    await expect.poll(() => book.innerText()).toBe('Readers');
    await book.click();
    await dialog.getByLabel('Subject').click();
    await expect.poll(() => options().count()).toBe(0);
    await expect.poll(() => dialog.count()).toBe(1);
  });

  test('on a phone, lists and calendars stay on the screen', async () => {
    const phone = await walk.visit(undefined, PHONE);
    await phone.context().addCookies(await page.context().cookies());
    await phone.goto('/?from=2026-01-01&to=2026-02-01&zone=UTC');
    await phone.getByLabel('Time zone', { exact: true }).click();
    const list = phone.getByRole('dialog');
    await expect.poll(() => isOnPhone(list)).toBe(true);
    await phone.keyboard.press('Escape');
    await phone.getByRole('button', { name: 'Open calendar' }).last().click();
    await phone.getByRole('grid').waitFor();
    await expect.poll(() => isOnPhone(phone.getByRole('dialog'))).toBe(true);
    await expectNothingFromAxe(phone);
    await expect.poll(() => phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
