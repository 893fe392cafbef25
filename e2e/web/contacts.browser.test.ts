import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../src/testing/factories.ts';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

describe.skipIf(browserPath === null)(
  'contacts, segments, the palette and emails',
  { timeout: 120_000 },
  () => {
    let walk: Walk;
    let page: Page;
    let book: string;

    async function call(path: string, data: unknown) {
      const response = await page.request.post(`/api/v1${path}`, {
        data,
        headers: { origin: walk.server.url },
      });
      expect([path, response.status()]).toEqual([path, 200]);
      return response.json();
    }

    beforeAll(async () => {
      walk = await startWalk();
      page = await signUp(walk);
      const session = await (await page.request.get('/api/v1/auth/session')).json();
      await addDomain(walk.server.db, session.team.id, 'shop.test');
      book = (await call('/contactBooks', { name: 'Readers', variables: ['city'] })).id;
      await call(
        `/contactBooks/${book}/contacts/bulk`,
        Array.from({ length: 6 }, (_, at) => ({
          email: `reader${at}@example.org`,
          firstName: `Reader ${at}`,
          properties: { city: at % 2 === 0 ? 'Oslo' : 'Ghent' },
        })),
      );
      await call('/topics', { name: 'Offers', defaultSubscription: 'opt_in' });
      const other = (await call('/contactBooks', { name: 'Friends' })).id;
      await call(`/contactBooks/${other}/contacts`, { email: 'reader1@example.org' });
      await call('/suppressions', { email: 'reader1@example.org' });
    });
    afterAll(() => walk.close());

    test('contacts are selected, shown with their properties and changed together', async () => {
      await page.goto(`/contact-books/${book}`);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'city' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'city' }).waitFor();
      await page.reload();
      await page.getByRole('cell', { name: 'Ghent' }).first().waitFor();
      await page.getByLabel('Select reader2@example.org').check();
      await page.getByLabel('Select reader3@example.org').check();
      await page.getByText('2 selected').last().waitFor();
      await expectNothingFromAxe(page);
      await page.getByRole('button', { name: 'Add to topic' }).click();
      await page.getByRole('menuitem', { name: 'Offers' }).click();
      await page.getByText('2 contacts added to Offers').waitFor();
      await page.getByLabel('Select reader4@example.org').check();
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByText('1 contact unsubscribed').waitFor();
      await page.getByLabel('Select reader5@example.org').check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('5 contacts', { exact: true }).waitFor();
    });

    test('a contact has a page with its books, its suppression and its emails, and is changed there', async () => {
      await call('/emails', {
        from: 'hello@shop.test',
        to: 'reader0@example.org',
        subject: 'Welcome aboard',
        text: 'Hello',
      });
      await page.getByRole('link', { name: 'Contact books' }).first().click();
      await page.getByRole('link', { name: 'Search all contacts' }).click();
      await page.getByPlaceholder('Search by email or name').fill('reader1');
      await page.getByRole('link', { name: 'Friends' }).waitFor();
      await page.getByRole('link', { name: 'reader1@example.org' }).last().click();
      await page.getByText('Added manually').waitFor();
      await page.getByRole('link', { name: 'Friends' }).waitFor();
      await page.getByText('No emails yet').waitFor();
      await page.goto(`/contact-books/${book}?search=reader0`);
      await page.getByRole('link', { name: 'reader0@example.org' }).click();
      await page.getByRole('link', { name: 'Welcome aboard' }).waitFor();
      await page.getByLabel('Last name').fill('Lovelace');
      await page.getByLabel('Offers').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Contact saved').waitFor();
      await page.getByText('Reader 0 Lovelace').waitFor();
      await expectNothingFromAxe(page);
      await page.reload();
      await expect.poll(() => page.getByLabel('Last name').inputValue()).toBe('Lovelace');
      await expect.poll(() => page.getByRole('checkbox', { name: 'Offers' }).isChecked()).toBe(true);
    });

    test('a link that is pressed right after typing a search leads to its page, however late that page loads', async () => {
      await page.goto('/contacts');
      const link = page.getByRole('link', { name: 'reader1@example.org' }).first();
      await link.waitFor();
      let send!: () => void;
      const isSent = new Promise<void>((resolve) => (send = resolve));
      await page.route(/\/contact-page-/, async (route) => {
        await isSent;
        await route.continue();
      });
      await page.getByPlaceholder('Search by email or name').fill('reader1');
      await link.click();
      // A timer that begins later and takes longer ends after the one of the search, in every browser.
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
      send();
      await page.getByText('Added manually').waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/contact-books\/.+\/contacts\//);
      await page.unroute(/\/contact-page-/);
    });

    test('a segment by topic and days lists who matches', async () => {
      await page.goto('/segments#new');
      await page.getByRole('dialog').getByLabel('Name').fill('Offers');
      await chooseOption(page.getByLabel('Contact book'), 'Readers');
      await page.getByLabel('Name').press('Enter');
      await page.getByRole('button', { name: 'Add condition' }).click();
      await chooseOption(page.getByLabel('Field'), 'Topic');
      await page.getByText('Complete every condition to save the segment.').waitFor();
      await chooseOption(page.getByLabel('Topic', { exact: true }), 'Offers');
      await page.getByText('3 contacts match').waitFor();
      await page.getByRole('button', { name: 'Add condition' }).click();
      await chooseOption(page.getByLabel('Field').last(), 'Added');
      await page.getByLabel('Number of days').fill('7');
      await page.getByText('3 contacts match').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Segment saved').waitFor();
      await page.getByRole('link', { name: 'reader3@example.org' }).waitFor();
      await expect.poll(() => page.getByRole('link', { name: /@example.org/ }).count()).toBe(3);
      await expectNothingFromAxe(page);
    });

    test('all contacts that match are selected at once, not only those on the screen', async () => {
      const { id } = await call('/contactBooks', { name: 'Crowd' });
      const many = Array.from({ length: 250 }, (_, n) => ({
        email: `${n < 230 ? 'crowd' : 'other'}${n}@example.org`,
      }));
      await call(`/contactBooks/${id}/contacts/bulk`, many);
      await page.goto(`/contact-books/${id}?search=crowd`);
      await page.getByLabel('Select all loaded contacts').check();
      await page.getByRole('button', { name: 'Select all that match' }).click();
      const bar = page.getByRole('group', { name: 'Selected contacts' });
      await bar.getByText('230 selected').waitFor();
      await page.getByLabel('Select crowd229@example.org').uncheck();
      await bar.getByText('229 selected').waitFor();
      await expectNothingFromAxe(page);
      await bar.getByRole('button', { name: 'Delete' }).click();
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
      await expect.poll(() => confirm.isDisabled()).toBe(true);
      await page.getByLabel('Type 229 to confirm').fill('229');
      await confirm.click();
      await page.getByText('229 contacts deleted').waitFor();
      await page.goto(`/contact-books/${id}`);
      await page.getByText('21 contacts').waitFor();
      await page.getByRole('link', { name: 'crowd229@example.org' }).waitFor();
    });

    test('the palette finds things and does things', async () => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search or type a command' });
      await field.fill('reader3');
      await page.getByRole('option', { name: /reader3@example.org/ }).waitFor();
      await expectNothingFromAxe(page);
      await field.fill('welcome');
      await page.getByRole('option', { name: /Welcome aboard/ }).waitFor();
      await field.fill('offers');
      await page.getByRole('option', { name: 'Offers Segment' }).waitFor();
      await field.fill('nothing at all');
      await page.getByText('No results').waitFor();
      await field.fill('reader3');
      await page.getByRole('option', { name: /reader3@example.org/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'reader3@example.org' }).waitFor();
      await page.keyboard.press('Control+k');
      await field.fill('new campa');
      await page.getByRole('option', { name: 'Create campaign' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('heading', { name: 'Create campaign' }).waitFor();
      expect(new URL(page.url()).hash).toBe('');
      await page.keyboard.press('Escape');
    });

    test('the palette finds conversations in every mailbox', async () => {
      const boxes = await Promise.all(
        ['ada', 'grace'].map((name) => call('/mailboxes', { address: `${name}@shop.test`, name })),
      );
      for (const { id } of boxes)
        await call(`/mailboxes/${id}/messages`, {
          to: ['keeper@example.org'],
          subject: 'The lighthouse keeper',
          text: 'Hello',
        });
      await page.goto('/topics');
      await page.getByRole('heading', { name: 'Topics' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or type a command' }).fill('lighthouse');
      const found = page.getByRole('option', { name: /The lighthouse keeper.*Conversation/ });
      await expect.poll(() => found.count()).toBe(2);
      await found.last().click();
      await page.getByRole('heading', { name: 'The lighthouse keeper' }).waitFor();
      expect(boxes.some(({ id }) => page.url().includes(id))).toBe(true);
    });

    test('a campaign is found by its name in segments and in the numbers', async () => {
      const campaign = { from: 'a@shop.test', subject: 'Hello', contactBookId: book, html: '<p>Hello</p>' };
      const { id } = await call('/campaigns', { ...campaign, name: 'Spring letter' });
      await call('/campaigns', { ...campaign, name: 'Autumn letter' });
      const input = { name: 'Readers of spring', contactBookId: book, filter: { all: [] } };
      const segment = await call('/segments', input);
      await page.goto(`/segments/${segment.id}`);
      await page.getByRole('button', { name: 'Add condition' }).click();
      await chooseOption(page.getByLabel('Field'), 'Campaign');
      const choose = async () => {
        const field = page.getByRole('combobox', { name: 'Campaign', exact: true });
        await field.click();
        await field.fill('spring');
        await page.getByRole('option', { name: 'Spring letter' }).click();
        await expect.poll(() => field.inputValue()).toBe('Spring letter');
      };
      await choose();
      await page.getByText('0 contacts match').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Segment saved').waitFor();
      const saved = await (await page.request.get(`/api/v1/segments/${segment.id}`)).json();
      expect(JSON.stringify(saved.filter)).toContain(id);
      await page.goto('/');
      await choose();
      await expect.poll(() => page.url()).toContain(id);
      await expectNothingFromAxe(page);
    });

    test('an email shows its attachments, is rescheduled, sent again and exported', async () => {
      const { emailId } = await call('/emails', {
        from: 'hello@shop.test',
        to: 'grace@example.org',
        subject: 'Invoice',
        text: 'Hello',
        attachments: [{ filename: 'invoice.txt', content: 'SGVsbG8=' }],
        scheduledAt: new Date(Date.now() + 7_200_000).toISOString(),
      });
      await page.goto(`/emails/${emailId}`);
      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name: /invoice.txt/ }).click();
      expect((await saving).suggestedFilename()).toBe('invoice.txt');
      await page.getByRole('button', { name: 'Reschedule' }).click();
      await page.getByLabel(/Send at/).fill('2036-01-02T09:30');
      await page.getByRole('dialog').getByRole('button', { name: 'Reschedule' }).click();
      await page.getByText('2 Jan 2036', { exact: false }).waitFor();
      await expectNothingFromAxe(page);
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Email sent again').waitFor();
      await expect.poll(() => page.url()).not.toContain(emailId);

      await page.goto('/emails');
      await page.getByLabel('From date').fill('2035-01-01');
      await page.getByText('No matching emails').waitFor();
      await page.getByLabel('From date').fill('2020-01-01');
      await page.getByRole('link', { name: 'grace@example.org' }).first().waitFor();
      await expectNothingFromAxe(page);
      const exporting = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Export' }).click();
      expect((await exporting).suggestedFilename()).toBe('emails.csv');
    });

    test('a test email is sent from the page of a domain', async () => {
      await page.goto('/domains');
      await page.getByRole('link', { name: 'shop.test' }).click();
      await page.getByRole('button', { name: 'Send test email' }).click();
      await expectNothingFromAxe(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Send test email' }).click();
      await page.getByRole('heading', { name: 'Test email from shop.test' }).waitFor();
      expect(walk.complaints).toEqual([]);
    });
  },
);
