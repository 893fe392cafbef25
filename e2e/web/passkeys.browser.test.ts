import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../src/testing/servers/free-ports.ts';
import { browserPath, expectNothingFromAxe, startWalk, type Walk } from './walk.ts';

const EMAIL = 'ada@shop.example';
const PASSWORD = 'correct horse battery';

/** The tests depend on each other: each continues where the previous one ended. */
describe.skipIf(browserPath === null)('a person with a passkey', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let device: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    const [port] = await freePorts(1);
    // Browsers make no passkeys for IP addresses.
    const url = `http://localhost:${port}`;
    walk = await startWalk({ BASE_URL: url }, port);
    page = await walk.visit(`${url}/setup?token=${walk.server.setupToken}`);
    device = await page.context().newCDPSession(page);
    await device.send('WebAuthn.enable', { enableUI: false });
    ({ authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    }));
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(() => walk.close());

  /** Lets the device agree to what the browser asks of it while this runs. */
  async function withTouch(act: () => Promise<void>): Promise<void> {
    await device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
    await act();
    await device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
  }

  async function signOut(): Promise<void> {
    await page.getByRole('button', { name: 'Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  }

  test('adds it, and gets recovery codes', async () => {
    await page.goto(`${new URL(page.url()).origin}/settings`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name of this device').fill('Laptop');
    await expectNothingFromAxe(page);
    await withTouch(async () => {
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
    });
    expect(await page.getByRole('dialog').getByRole('listitem').count()).toBe(10);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Laptop' }).getByText('Never used').waitFor();
    await expectNothingFromAxe(page);
    const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  });

  test('signs in with it alone', async () => {
    await signOut();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectNothingFromAxe(page);
    await withTouch(async () => {
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
  });

  test('uses it after the password', async () => {
    await signOut();
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Six-digit code').waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectNothingFromAxe(page);
    await withTouch(async () => {
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
  });

  test('renames and deletes it', async () => {
    await page.goto(`${new URL(page.url()).origin}/settings`);
    await page.getByRole('button', { name: 'Rename Laptop' }).click();
    await page.getByLabel('Name of this device').fill('Old laptop');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('button', { name: 'Delete Old laptop' }).click();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Passkey deleted').waitFor();
    await page.getByText('None yet.').first().waitFor();
    expect(walk.complaints).toEqual([]);
  });
});
