import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../src/testing/factories.ts';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(browserPath === null)('an automation', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;
  let bookId: string;

  async function call(method: string, path: string, data?: unknown) {
    const answer = await page.request.fetch(`/api/v1${path}`, {
      method,
      data,
      headers: { origin: walk.server.url },
    });
    const body = await answer.json();
    expect([path, answer.status(), body]).toEqual([path, 200, expect.anything()]);
    return body;
  }

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    const { team } = await call('GET', '/auth/session');
    await addDomain(walk.server.db, team.id, 'shop.test');
    bookId = (await call('POST', '/contactBooks', { name: 'Customers', variables: ['plan'] })).id;
    const contact = { email: 'before@example.org', firstName: 'Bea' };
    await call('POST', `/contactBooks/${bookId}/contacts`, contact);
  });
  afterAll(() => walk.close());

  const step = (title: string) => page.getByRole('button', { name: title });

  test('begins with a template, and its steps are changed', async () => {
    await page.goto('/automations');
    await page.getByText('No automations yet').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: /^Welcome/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create automation' }).click();
    await step('Wait for a time: Wait 3 days').waitFor();

    await step('Wait for a time: Wait 3 days').click();
    const panel = page.getByRole('complementary', { name: 'Wait for a time' });
    await panel.getByLabel('How long').fill('1');
    await panel.getByRole('combobox', { name: 'Unit' }).click();
    await page.getByRole('option', { name: 'seconds' }).click();
    await step('Wait for a time: Wait 1 second').waitFor();

    await page.getByRole('button', { name: 'Add a step after Wait 1 second' }).click();
    await page.getByRole('menuitem', { name: /^Condition/ }).click();
    const condition = page.getByRole('complementary', { name: 'Condition' });
    await condition.getByRole('button', { name: 'Add condition' }).click();
    await condition.getByRole('textbox', { name: 'Value' }).fill('@example.org');
    await step('Condition: Does this apply? Email address contains @example.org').waitFor();
    await page.getByRole('button', { name: 'Add a step to “No”' }).click();
    await page.getByRole('menuitem', { name: /^End/ }).click();
    await step('End: The person leaves').waitFor();
    await expectNothingFromAxe(page);
  });

  test('is changed with the keyboard, and changes are undone', async () => {
    await step('End: The person leaves').focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.step')).toBe('condition');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    await step('End: The person leaves').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await step('End: The person leaves').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  test('has emails that are written in place', async () => {
    await step('Send an email: Three tips for you').click();
    await page.getByRole('button', { name: 'Write the email' }).click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('Four tips for you');
    const editor = page.getByRole('textbox', { name: 'Message' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('And a fourth one.');
    await page.getByRole('button', { name: 'Back to the steps' }).click();
    await step('Send an email: Four tips for you').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  test('shows its steps on a phone after an email was written', async () => {
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    await step('Send an email: Four tips for you').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Write the email' }).click();
    await page.getByRole('button', { name: 'Back to the steps' }).click();
    await step('Wait for a time: Wait 1 second').click();
    const panel = page.getByRole('dialog', { name: 'Wait for a time' });
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('is tried with one person', async () => {
    await page.getByRole('button', { name: 'Try it' }).click();
    const play = page.getByRole('complementary', { name: 'Try it' });
    await play.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'before@example.org' }).click();
    await play.getByRole('button', { name: 'Play' }).click();
    await play.getByText('The end: all steps are done').waitFor();
    await play.getByRole('button', { name: 'Show the email' }).last().click();
    await page.getByRole('dialog', { name: 'Four tips for you' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('is activated, and the story of whoever enters is shown', async () => {
    await page.getByRole('button', { name: 'Activate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The check found nothing wrong.').waitFor();
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await call('POST', `/contactBooks/${bookId}/contacts`, { email: 'eve@example.org', firstName: 'Eve' });
    await page.getByRole('link', { name: 'Completed: 1', exact: true }).click();
    await page.getByRole('button', { name: 'eve@example.org' }).click();
    const story = page.getByRole('dialog', { name: 'eve@example.org' });
    await story.getByText('Reached the end').waitFor();
    const moments = await story.getByRole('listitem').allInnerTexts();
    expect(moments.map((text) => text.split('\n')[0])).toEqual([
      'Entered because of a new contact',
      'Welcome, {{firstName,fallback=friend}}',
      'Wait 1 second',
      'Does this apply?',
      'Four tips for you',
      'Reached the end',
    ]);
    await expectNothingFromAxe(page);
    await story.getByRole('button', { name: 'Close' }).click();
  });

  test('is published with the people inside, and paused', async () => {
    await page.getByRole('link', { name: 'Welcome' }).first().click();
    await step('Wait for a time: Wait 1 second').click();
    await page.getByRole('complementary').getByLabel('How long').fill('2');
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody is inside, so publishing moves nobody.').waitFor();
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(walk.complaints).toEqual([]);
  });
});
