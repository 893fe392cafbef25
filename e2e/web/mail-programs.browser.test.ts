import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectNothingFromAxe, signUp, startWalk, type Walk } from './walk.ts';

describe.skipIf(!browserPath)('email apps in webmail', () => {
  let walk: Walk;

  beforeAll(async () => {
    walk = await startWalk({ PUBLIC_MAIL_PORTS: 'imaps=993' });
  });
  afterAll(() => walk.close());

  test('an app password is created, shown once and revoked', async () => {
    const page = await signUp(walk);
    const origin = { origin: walk.server.url };
    const { id } = await (
      await page.request.post('/api/v1/domains', { data: { name: 'quay.test' }, headers: origin })
    ).json();
    await page.request.put(`/api/v1/domains/${id}/verify`, { headers: origin });
    const create = () =>
      page.request.post('/api/v1/mailboxes', { data: { address: 'ada@quay.test' }, headers: origin });
    await expect.poll(async () => (await create()).status()).not.toBe(400);
    await page.goto('/mail');
    await page.getByRole('button', { name: /^Mailbox/ }).click();
    await page.getByRole('menuitem', { name: 'Email apps' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Port 993 with SSL/TLS').waitFor();
    await expectNothingFromAxe(page);
    await dialog.getByRole('button', { name: 'Create app password' }).click();
    await dialog.getByLabel('Device or app').fill('Laptop');
    await dialog.getByRole('button', { name: 'Create app password' }).click();
    await dialog.getByText('App password for Laptop').waitFor();
    const password = await dialog.locator('code').first().textContent();
    expect(password).toMatch(/^[a-z]{5}(-[a-z]{5}){3}$/);
    await expectNothingFromAxe(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.getByText('Never used').waitFor();
    await expect.poll(() => dialog.textContent()).not.toContain(password);
    await page.setViewportSize({ width: 390, height: 844 });
    await dialog.getByRole('button', { name: 'Revoke Laptop' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.getByText('No app passwords yet').waitFor();
    await page.goto(`/domains/${id}`);
    expect(walk.complaints).toEqual([]);
  });
});
