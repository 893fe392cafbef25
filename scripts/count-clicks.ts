/**
 * Does the five tasks of docs/design.md in a browser and counts the clicks. Typing, choosing a file and waiting are free.
 * `npm run measure:clicks` prints a line for each task. It fails if a task can no longer be done this way.
 */
import { createTransport } from 'nodemailer';
import type { Locator, Page } from 'playwright-core';
import { setUp, withShopServer, type Server } from './screenshots/shop-server.ts';

class Clicker {
  readonly page: Page;
  #clicks = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async press(target: Locator): Promise<void> {
    await target.first().click();
    this.#clicks += 1;
  }

  /** In the dialog if there is one. */
  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name }).last();
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }

  async tell(task: string): Promise<void> {
    console.log(`${task}: ${this.#clicks}`);
    this.#clicks = 0;
    await this.page.goto('/');
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }
}

await withShopServer(async (browser, server) => {
  const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 800 } });
  await setUp(context.request, server);
  const clicker = new Clicker(await context.newPage());
  await clicker.page.goto('/');
  await sendFirstEmail(clicker);
  await importAndWrite(clicker);
  await makeWelcomeSeries(clicker);
  await answerAsTeam(clicker, server);
  await findBounce(clicker, server);
});

async function sendFirstEmail(on: Clicker): Promise<void> {
  const { page } = on;
  await page.getByLabel('Team name').fill('Harbour Books');
  await on.press(on.button('Save'));
  await on.press(on.link('Add a domain'));
  await page.getByRole('dialog').getByRole('textbox').first().fill('harbour-books.test');
  await on.press(on.button('Add domain'));
  await page.getByText('Verified').first().waitFor();
  await on.press(on.link('Overview'));
  await on.press(on.button('Send test email'));
  await page.getByRole('dialog').waitFor();
  await on.press(on.button('Send test email'));
  await page.getByText('Delivered').first().waitFor();
  await on.tell('first email');
}

async function importAndWrite(on: Clicker): Promise<void> {
  const { page } = on;
  await on.press(on.link('Contact books'));
  await on.press(on.button('Create contact book'));
  await page.getByRole('dialog').getByRole('textbox').first().fill('Readers');
  await on.press(on.button('Create contact book'));
  await on.press(on.link('Import'));
  const csv = Buffer.from('email,first name\ngrace@example.org,Grace\nbounce+1@simulator.test,Ann\n');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'readers.csv', mimeType: 'text/csv', buffer: csv });
  await on.press(page.getByLabel('Yes, they already agreed'));
  await page.getByLabel('How and when did they agree? (required)').fill('At the fair');
  await on.press(on.button('Start import'));
  await page.getByRole('heading', { name: 'Import complete' }).waitFor();
  await on.press(on.link('Campaigns'));
  await on.press(on.button('Create campaign'));
  await page.getByRole('dialog').getByLabel('Name').fill('First letter');
  await page.getByRole('dialog').getByLabel('Subject').fill('Hello');
  await on.press(on.button('Create campaign'));
  await page.getByRole('textbox', { name: 'Message' }).fill('Good to have you.');
  await page.getByText('All changes saved').waitFor();
  await on.press(on.button('Send…'));
  await on.press(on.button('Continue'));
  await on.press(on.button('Continue'));
  await on.press(on.button('Send now'));
  await page.getByText('Sent').first().waitFor();
  await on.tell('import and first letter');
}

async function makeWelcomeSeries(on: Clicker): Promise<void> {
  const { page } = on;
  await on.press(on.link('Automations'));
  await on.press(on.button(/^Welcome/));
  await page.getByRole('dialog').waitFor();
  await on.press(on.button('Create automation'));
  await on.press(on.button('Activate'));
  await page.getByRole('dialog').getByText('The check found nothing wrong.').waitFor();
  await on.press(on.button('Activate'));
  await page.getByText('Active', { exact: true }).waitFor();
  await on.tell('welcome series');
}

async function answerAsTeam(on: Clicker, { url, smtpPort }: Server): Promise<void> {
  const { page } = on;
  const mailbox = { address: 'desk@harbour-books.test', name: 'Desk' };
  const made = await page.request.post('/api/v1/mailboxes', { data: mailbox, headers: { origin: url } });
  if (!made.ok()) throw new Error(await made.text());
  const door = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  const question = { subject: 'Which edition?', text: 'Which one would you take?' };
  await door.sendMail({ from: 'grace@example.org', to: mailbox.address, ...question });
  door.close();
  await page.reload();
  await on.press(on.link('Mail'));
  await on.press(on.link(/Which edition/));
  await on.press(on.button('Assign'));
  await on.press(page.getByRole('dialog').getByRole('button', { name: 'Me' }));
  await on.press(on.button('Reply'));
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('The blue one.');
  await on.press(page.getByRole('button', { name: 'Send', exact: true }));
  await page
    .getByText(/Sending in|Message sent/)
    .first()
    .waitFor();
  await on.tell('answer as a team');
}

async function findBounce(on: Clicker, { url }: Server): Promise<void> {
  const { page } = on;
  const email = {
    from: 'hello@harbour-books.test',
    to: 'bounce@simulator.test',
    subject: 'Receipt',
    text: 'x',
  };
  await page.request.post('/api/v1/emails', { data: email, headers: { origin: url } });
  await page.getByText('Needs attention').first().waitFor();
  await on.press(on.link(/bounce/i));
  await on.press(on.link(email.to));
  await page.getByText('Bounced').first().waitFor();
  await on.tell('find why a mail bounced');
}
