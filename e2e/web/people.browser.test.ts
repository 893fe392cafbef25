import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasswordReset, resetUrl } from '../../src/features/identity/people/account.ts';
import { createSetupLink } from '../../src/features/identity/people/setup.ts';
import { stepAt, totpCode } from '../../src/features/identity/people/totp.ts';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

const EMAIL = 'ada@shop.example';
const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a staple of batteries';

async function signIn(on: Page, password: string): Promise<void> {
  await on.goto('/sign-in');
  await on.getByLabel('Email address').fill(EMAIL);
  await on.getByLabel('Password').fill(password);
  await on.keyboard.press('Enter');
}

async function signOut(on: Page): Promise<void> {
  await on.getByRole('button', { name: 'Ada Lovelace' }).click();
  await on.getByRole('menuitem', { name: 'Sign out' }).click();
  await on.getByRole('heading', { name: 'Sign in' }).waitFor();
}

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('an account', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let secret: Buffer;
  let recoveryCodes: string[];

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
  });
  afterAll(() => walk.close());

  /** Returns the code of the next time step, which is accepted too, so that no code is used twice. */
  const nextCode = () => totpCode(secret, stepAt(Date.now()) + 1);

  test('takes on two-factor with a code of an authenticator, and gets its recovery codes', async () => {
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByLabel('Your password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByText('Is incorrect.').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await expectNothingFromAxe(page);
    secret = fromBase32((await page.getByRole('dialog').locator('code').textContent())!);
    await page.getByLabel('Code from the app').fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.locator('[aria-invalid]').or(page.getByRole('alert')).first().waitFor();
    await page.getByLabel('Code from the app').fill(totpCode(secret, stepAt(Date.now())));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Two-factor authentication is on' }).waitFor();
    recoveryCodes = await page.getByRole('dialog').getByRole('listitem').allTextContents();
    expect(recoveryCodes.length).toBeGreaterThan(4);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('You need a code from your phone to sign in').waitFor();
  });

  test('then signs in with a code, or with a recovery code once', async () => {
    await signOut(page);
    await signIn(page, PASSWORD);
    await page.getByLabel('Six-digit code').fill(nextCode());
    await expectNothingFromAxe(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await signOut(page);
    await signIn(page, PASSWORD);
    await page.getByLabel('Six-digit code').fill(recoveryCodes[0]!);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await signOut(page);
    await signIn(page, PASSWORD);
    await page.getByLabel('Six-digit code').fill(recoveryCodes[0]!);
    await page.keyboard.press('Enter');
    await page.getByText('The code is incorrect or was already used.').waitFor();
    await page.getByLabel('Six-digit code').fill(recoveryCodes[1]!);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/settings');
    await expectTwoFactorAtSetUp();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Two-factor authentication is off').waitFor();
  });

  /** The account becomes the owner of another team, by the link that the operator makes. */
  async function expectTwoFactorAtSetUp(): Promise<void> {
    const { teamId } = await walk.server.createTeam();
    const link = await createSetupLink(walk.server.db, teamId);
    const owner = await walk.visit(`/setup?token=${link}`);
    await owner.getByLabel('Your name').fill('Ada Lovelace');
    await owner.getByLabel('Email address').fill(EMAIL);
    await owner.getByLabel('Password').fill(PASSWORD);
    await owner.keyboard.press('Enter');
    await owner.getByText('Is required because this account uses two-factor authentication.').waitFor();
    await owner.getByLabel('Six-digit code').fill(recoveryCodes[2]!);
    await owner.keyboard.press('Enter');
    await owner.getByRole('heading', { name: 'Overview' }).waitFor();
    await owner.context().close();
  }

  test('that forgot its password is told the way, and gets in by the operator’s link', async () => {
    const stranger = await walk.visit('/sign-in');
    await stranger.getByRole('link', { name: 'Forgot your password?' }).click();
    await stranger.getByLabel('Email address').fill(EMAIL);
    await expectNothingFromAxe(stranger);
    await stranger.keyboard.press('Enter');
    // The sandbox sends nothing.
    await stranger.getByText('This server cannot send password emails.').waitFor();
    await stranger.getByText(`npx posthorn user reset-password --email ${EMAIL}`).waitFor();
    await expectNothingFromAxe(stranger);

    const token = await createPasswordReset(walk.server.db, EMAIL, 1);
    const link = new URL(resetUrl(walk.server.url, token));
    await stranger.goto(`${link.pathname}${link.search}`);
    await stranger.getByLabel('New password').fill('short');
    await stranger.keyboard.press('Enter');
    await stranger.getByText('Must have at least 10 characters.').waitFor();
    await expectNothingFromAxe(stranger);
    await stranger.getByLabel('New password').fill(NEW_PASSWORD);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(stranger, NEW_PASSWORD);
    await stranger.getByRole('heading', { name: 'Overview' }).waitFor();
    // All earlier sessions have ended.
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await stranger.context().close();
  });

  test('can be in two teams and sees only the data of the current one', async () => {
    const second = await walk.server.createTeam();
    await sql`update teams set name = 'Second team' where id = ${second.teamId}`.execute(walk.server.db);
    const { body } = await second.call('POST', '/invitations', { email: EMAIL, role: 'admin' });
    await second.call('POST', '/contactBooks', { name: 'Of the second team' });
    const link = new URL(body.link);
    await signIn(page, NEW_PASSWORD);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const joining = await walk.visit(`${link.pathname}${link.search}`);
    await joining.getByText(`You have been invited as ${EMAIL}.`).waitFor();
    await expectNothingFromAxe(joining);
    await joining.getByRole('button', { name: 'I already have an account' }).click();
    await joining.getByText(`The password of your account ${EMAIL}.`).waitFor();
    await expectNothingFromAxe(joining);
    await joining.getByLabel('Password').fill(NEW_PASSWORD);
    await joining.keyboard.press('Enter');
    await joining.getByRole('heading', { name: 'Overview' }).waitFor();
    await joining.context().close();

    const switchTeam = async (name: string) => {
      await page.getByRole('button', { name: 'Ada Lovelace' }).click();
      await page.getByRole('menuitemradio', { name }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    };
    await page.goto('/contact-books');
    await page.getByRole('heading', { name: 'Contact books' }).waitFor();
    await expect.poll(() => page.getByText('Of the second team').count()).toBe(0);
    await switchTeam('Second team');
    await page.getByRole('link', { name: 'Contact books' }).click();
    await page.getByRole('link', { name: 'Of the second team' }).waitFor();
    await expectNothingFromAxe(page);
    await switchTeam('My team');
    await page.getByRole('link', { name: 'Contact books' }).click();
    await page.getByRole('heading', { name: 'Contact books' }).waitFor();
    await expect.poll(() => page.getByText('Of the second team').count()).toBe(0);
  });

  test('writes the mail that asks new contacts to confirm', async () => {
    await page.getByRole('button', { name: 'Create contact book' }).click();
    await page.getByLabel('Name').fill('Newsletter');
    await page.getByRole('button', { name: 'Create contact book' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Confirmation email' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[contenteditable=true]').waitFor();
    await expectNothingFromAxe(page);
    // Escape closes the list of blocks, and no typed text is lost.
    await dialog.locator('[contenteditable=true]').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' See you soon /');
    await page.getByRole('listbox', { name: 'Add a block' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('listbox', { name: 'Add a block' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    await dialog.getByText('See you soon').waitFor();
    await dialog.getByLabel('Confirmation email from').fill('nobody');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Confirmation email from').fill('');
    await dialog.getByLabel('Confirmation email subject').fill('Is this you?');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const book = await (await page.request.get(`/api/v1/contactBooks/${id}`)).json();
    expect(book).toMatchObject({ doubleOptInEnabled: true, doubleOptInSubject: 'Is this you?' });
  });

  test('signs out everywhere at once', async () => {
    const elsewhere = await walk.visit();
    await signIn(elsewhere, NEW_PASSWORD);
    await elsewhere.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await elsewhere.goto('/emails');
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectNothingFromAxe(elsewhere);
    expect(walk.complaints).toEqual([]);
  });
});

/** Decodes base32 (RFC 4648 section 6) as an authenticator app does. */
function fromBase32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
