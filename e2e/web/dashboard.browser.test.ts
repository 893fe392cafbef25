import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCall } from '../../src/testing/test-server.ts';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, goWithin, startWalk } from './walk.ts';

const PASSWORD = 'correct horse battery';

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('the dashboard', { timeout: 90_000 }, () => {
  let walk: Walk;
  let owner: Page;
  let key: string;

  beforeAll(async () => {
    walk = await startWalk();
  });
  afterAll(() => walk.close());

  test('the link of the first start makes the owner’s account, and works once', async () => {
    const stranger = await walk.visit('/');
    await stranger.getByRole('heading', { name: 'Set up Posthorn' }).waitFor();
    await stranger.getByText('open the one-time link').waitFor();
    await expectNothingFromAxe(stranger);
    await stranger.context().close();
    owner = await walk.visit(`/setup?token=${walk.server.setupToken}`);
    await expectNothingFromAxe(owner);
    await owner.getByLabel('Your name').fill('Ada Lovelace');
    await owner.getByLabel('Email address').fill('ada@shop.example');
    await owner.getByLabel('Password').fill('short');
    await owner.getByRole('button', { name: 'Create account' }).click();
    await owner.getByText('Must have at least 10 characters.').waitFor();
    await owner.getByLabel('Password').fill(PASSWORD);
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'Overview' }).waitFor();
    await owner.getByText('Send your first email').waitFor();

    const second = await walk.visit(`/setup?token=${walk.server.setupToken}`);
    await second.getByLabel('Your name').fill('Mallory');
    await second.getByLabel('Email address').fill('mallory@shop.example');
    await second.getByLabel('Password').fill(PASSWORD);
    await second.keyboard.press('Enter');
    await second.getByRole('alert').waitFor();
    expect(new URL(second.url()).pathname).toBe('/setup');
    await second.context().close();
  });

  test('a domain under .test is added and verified', async () => {
    await owner.getByRole('link', { name: 'Domains' }).click();
    await owner.getByRole('button', { name: 'Add domain' }).first().click();
    await owner.getByRole('dialog').getByLabel('Domain').fill('not a domain');
    await owner.getByRole('dialog').getByRole('button', { name: 'Add domain' }).press('Enter');
    await owner.getByRole('alert').getByText('Must be a registrable domain').waitFor();
    await expect.poll(() => owner.evaluate('document.activeElement.value')).toBe('not a domain');
    await owner.getByRole('dialog').getByLabel('Domain').fill('shop.test');
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'shop.test' }).waitFor();
    await owner.getByText('Verified', { exact: true }).waitFor();
    await owner.getByRole('button', { name: 'Verify records' }).press('Enter');
    await expect.poll(() => owner.evaluate('document.activeElement.innerText')).toBe('Verify records');
    await expectNothingFromAxe(owner);
  });

  test('the records of a domain say what they are for, and are copied or downloaded together', async () => {
    await owner.getByRole('link', { name: 'Domains' }).first().click();
    await owner.getByRole('button', { name: 'Add domain' }).first().click();
    await owner.getByRole('dialog').getByLabel('Domain').fill('news.shop.example');
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'news.shop.example' }).waitFor();
    await owner.getByText('SPF: says that this server may send').waitFor();
    await owner.getByText('bounce.news', { exact: true }).first().waitFor();
    await owner.getByText('bounce.news.shop.example', { exact: true }).first().waitFor();

    await chooseOption(owner.getByLabel('Where is your DNS?'), 'Cloudflare');
    await owner.getByText('DNS → Records → Add record').waitFor();
    await owner.getByText('The provider adds shop.example itself').waitFor();
    await chooseOption(owner.getByLabel('Where is your DNS?'), 'Amazon Route 53');
    await owner.getByText('Hosted zones').waitFor();
    await expectNothingFromAxe(owner);

    await owner.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await owner.getByRole('button', { name: 'Copy all records' }).click();
    await owner.getByText('All records copied').waitFor();
    await expect
      .poll(() => owner.evaluate('navigator.clipboard.readText()'))
      .toMatch(/^TXT\t\S+\._domainkey\.news\.shop\.example\tv=DKIM1/);
    const saving = owner.waitForEvent('download');
    await owner.getByRole('link', { name: 'Download zone file' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('news.shop.example.zone');
    expect(readFileSync(await file.path(), 'utf8')).toMatch(
      /^\$ORIGIN shop\.example\.\n\S+\._domainkey\.news\.shop\.example\.\t3600\tIN\tTXT\t"v=DKIM1/,
    );
  });

  test('a key is made, shown once, and sends an email that is seen to arrive', async () => {
    await owner.getByRole('link', { name: 'API keys' }).click();
    await owner.getByRole('button', { name: 'Create API key' }).click();
    await owner.getByLabel('Name').fill('Website');
    await owner.getByRole('button', { name: 'Create API key' }).click();
    key = (await owner.getByRole('dialog').locator('code').textContent())!;
    expect(key).toMatch(/^ph_/);
    await owner.getByRole('button', { name: 'Done' }).click();
    await expectNothingFromAxe(owner);
    await expect.poll(() => owner.content()).not.toContain(key);

    const sent = await createCall(walk.server.url, key)('POST', '/emails', {
      from: 'Shop <hello@shop.test>',
      to: 'grace@example.org',
      subject: 'Hello Grace',
      html: '<p>Hello <b>Grace</b></p><script>document.title = "ran"</script><img src="https://tracker.example/x.png">',
    });
    expect(sent.status).toBe(200);
    await owner.getByRole('link', { name: 'Emails' }).click();
    await owner.getByPlaceholder('Search by address or subject').fill('nothing like it');
    await owner.getByText('No matching emails').waitFor();
    await owner.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => owner.getByPlaceholder('Search by address or subject').inputValue()).toBe('');
    await owner.getByPlaceholder('Search by address or subject').fill('hello GRACE@');
    await expect.poll(() => new URL(owner.url()).searchParams.get('search')).toBe('hello GRACE@');
    await owner.getByRole('link', { name: 'grace@example.org' }).click();
    await owner.getByRole('heading', { name: 'Hello Grace' }).waitFor();
    await owner.getByText('SMTP 250').waitFor();
    const frame = owner.frameLocator('iframe');
    await frame.getByText('Hello Grace').waitFor();
    await owner.getByRole('button', { name: 'Show remote images' }).waitFor();
    await expect.poll(() => owner.title()).toContain('Hello Grace');
    await expectNothingFromAxe(owner);
    await owner.getByText('No SMTP transcript.').waitFor();
    // Nothing is really sent here, so the captured SMTP dialogue is inserted by hand.
    await sql`
      update events set data = data || '{"transcript": ["> MAIL FROM:<a@shop.test>", "< 250 2.1.0 Ok"]}'
      where type = 'email.delivered'`.execute(walk.server.db);
    await owner.reload();
    await owner.getByText('SMTP transcript').click();
    await owner.getByText('< 250 2.1.0 Ok').waitFor();
    await owner.getByRole('button', { name: 'Copy transcript' }).waitFor();
    await expectNothingFromAxe(owner);
    await owner.getByRole('tab', { name: 'Source' }).click();
    await owner.getByText('Subject: Hello Grace').waitFor();
    await owner.getByRole('link', { name: 'Sandbox', exact: true }).click();
    await owner.getByRole('cell', { name: 'Hello Grace' }).waitFor();
    await expectNothingFromAxe(owner);
  });

  test('5,000 contacts come in from a CSV file with columns of its own', async () => {
    await owner.getByRole('link', { name: 'Contact books' }).click();
    await owner.getByRole('button', { name: 'Create contact book' }).click();
    await owner.getByLabel('Name').fill('Newsletter');
    await owner.getByRole('switch', { name: 'Double opt-in' }).click();
    await owner.getByRole('button', { name: 'Create contact book', exact: true }).last().click();
    await owner.getByText('No contacts yet').waitFor();
    await owner.getByRole('link', { name: 'Import' }).click();
    const rows = Array.from({ length: 5000 }, (_, index) => `person${index}@example.org;P${index};Oslo`);
    const csv = ['Where to write;Given Name;Town', ...rows, 'nobody;N;Oslo'].join('\n');
    const choose = (text: string) =>
      owner
        .locator('input[type=file]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('\r\n\r\nEmail,Town,Town\r\na@example.org,Oslo,Ghent');
    await owner.getByText('Two columns are named “Town”.').waitFor();
    await owner.getByRole('button', { name: 'Start import' }).click();
    await owner.getByText('Two columns are named “Town”.').waitFor();
    await owner.getByRole('button', { name: 'Choose another file' }).click();
    await choose(csv);
    await owner.getByText('Choose the column with the email address.').waitFor();
    await chooseOption(owner.getByLabel('Import as: Where to write'), 'Email address');
    await expectNothingFromAxe(owner);
    await owner.getByRole('button', { name: 'Start import' }).click();
    await owner.getByRole('heading', { name: 'Import complete' }).waitFor();
    await owner.getByText('5,000', { exact: true }).waitFor();
    await owner.getByText('Line 5,002').waitFor();
    await expectNothingFromAxe(owner);
    await owner.getByRole('link', { name: 'View contacts' }).click();
    await owner.getByText('5,000 contacts').waitFor();
    await owner.getByPlaceholder('Search by email or name').fill('person4321');
    await owner.getByRole('link', { name: 'person4321@example.org' }).click();
    await owner.getByLabel('Value: Town').fill('Bergen');
    await owner.getByRole('button', { name: 'Save' }).click();
    await owner.getByText('Contact saved').waitFor();
    await owner.reload();
    await expect.poll(() => owner.getByLabel('Value: Town').inputValue()).toBe('Bergen');
    await expectNothingFromAxe(owner);
    await owner.goBack();
  });

  test('a long list keeps few rows in the page and reaches its end by scrolling', async () => {
    await owner.getByPlaceholder('Search by email or name').fill('person49');
    await owner.getByRole('link', { name: 'person4999@example.org' }).waitFor();
    await expect
      .poll(async () => {
        await owner.mouse.wheel(0, 100_000);
        return owner.getByRole('link', { name: 'person49@example.org' }).isVisible();
      })
      .toBe(true);
    await expect.poll(() => owner.getByRole('row').count()).toBeLessThan(80);
  });

  test('a member who is invited sees mail and contacts but no keys', async () => {
    await owner.getByRole('link', { name: 'People' }).click();
    await owner.getByRole('button', { name: 'Invite people' }).click();
    await owner.getByLabel('Email address').fill('charles@shop.example');
    await owner.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await owner.getByText('The invitation was not emailed. The sandbox is on').waitFor();
    await owner.getByText('the account will be unproven').waitFor();
    const link = new URL((await owner.getByRole('dialog').locator('code').textContent())!);
    await owner.getByRole('button', { name: 'Done' }).click();
    await expectNothingFromAxe(owner);

    const member = await walk.visit(`${link.pathname}${link.search}`);
    await member.getByText('You have been invited as charles@shop.example').waitFor();
    await expectNothingFromAxe(member);
    await member.getByLabel('Your name').fill('Charles Babbage');
    await member.getByLabel('Password').fill(PASSWORD);
    await member.keyboard.press('Enter');
    await member.getByRole('heading', { name: 'Overview' }).waitFor();
    await owner.reload();
    await owner.getByText('charles@shop.example · address not proven').waitFor();
    await member.goto('/settings');
    await member.getByRole('button', { name: 'Send me a link' }).click();
    await member.getByText('npx posthorn user reset-password --email charles@shop.example').waitFor();
    await expectNothingFromAxe(member);
    await member.getByRole('link', { name: 'Contact books' }).click();
    await member.getByRole('link', { name: 'Newsletter' }).waitFor();
    await expect.poll(() => member.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    await expect.poll(() => member.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await member.goto('/api-keys');
    await member.getByText('Only owners and admins can manage API keys').waitFor();
    for (const path of ['/webhooks', '/webhooks/whk_0']) {
      await member.goto(path);
      await member.getByText('Only owners and admins can manage webhooks').waitFor();
    }
    await member.goto('/domains');
    await member.getByText('Only owners and admins can add').waitFor();
    await expect.poll(() => member.getByRole('button', { name: 'Add domain' }).count()).toBe(0);
    await member
      .getByRole('main')
      .getByRole('link', { name: /\.test$/ })
      .first()
      .click();
    await member.getByText('Only owners and admins can add').waitFor();
    await expect.poll(() => member.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    await expect.poll(() => member.getByRole('switch', { name: 'Track clicks' }).isDisabled()).toBe(true);
    await expectNothingFromAxe(member);
    const refused = await member.evaluate(async () => (await fetch('/api/v1/api-keys')).status);
    expect(refused).toBe(403);
    await member.context().close();
  });

  test('every other page is sound too, on a phone and with the keyboard alone', async () => {
    await owner.goto('/');
    await owner.getByRole('heading', { level: 1 }).waitFor();
    await owner.waitForLoadState('networkidle');
    await expectNothingFromAxe(owner);
    for (const path of [
      '/emails',
      '/domains',
      '/suppressions',
      '/contact-books',
      '/contacts?search=person',
      '/campaigns',
      '/templates',
      '/segments',
      '/forms',
      '/webhooks',
      '/brand',
      '/settings',
      '/mail',
      '/nowhere',
    ]) {
      await goWithin(owner, path);
      await expectNothingFromAxe(owner);
    }
    await owner.goto('/settings');
    await owner.setViewportSize({ width: 390, height: 780 });
    await owner.getByRole('button', { name: 'Open navigation' }).focus();
    await owner.keyboard.press('Enter');
    await owner.getByRole('dialog').getByRole('link', { name: 'Emails' }).focus();
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'Emails' }).waitFor();
    await owner.keyboard.press('Control+k');
    await owner.getByLabel('Search or type a command').fill('supp');
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'Suppressions' }).waitFor();
    await expect.poll(() => owner.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  test('signing out ends at the sign-in page, which leads back to where one was', async () => {
    await owner.setViewportSize({ width: 1280, height: 800 });
    await owner.getByRole('button', { name: 'Ada Lovelace' }).click();
    await owner.getByRole('menuitem', { name: 'Sign out' }).click();
    await owner.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectNothingFromAxe(owner);
    await owner.goto('/suppressions');
    await owner.getByLabel('Email address').fill('ada@shop.example');
    await owner.getByLabel('Password').fill('wrong password');
    await owner.keyboard.press('Enter');
    await owner.getByRole('alert').waitFor();
    await owner.getByLabel('Password').fill(PASSWORD);
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'Suppressions' }).waitFor();
  });

  test('the console has no errors except those that the email itself caused', () => {
    expect([...new Set(walk.complaints)]).toEqual([
      expect.stringContaining("Blocked script execution in 'about:srcdoc'"),
      expect.stringContaining("Loading the image 'https://tracker.example/x.png' violates"),
    ]);
  });
});
