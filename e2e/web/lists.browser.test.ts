import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Walk, browserPath, chooseOption, expectNothingFromAxe, signUp, startWalk } from './walk.ts';

describe.skipIf(browserPath === null)('segments, topics, templates and webhooks', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let receiver: Server;
  const received: { signature: string; body: string }[] = [];
  let isUp = false;

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        received.push({ signature: String(request.headers['webhook-signature']), body });
        response.writeHead(isUp ? 200 : 500).end(isUp ? 'thanks' : 'not today');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    walk = await startWalk({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    page = await signUp(walk);
  });
  afterAll(async () => {
    await walk.close();
    receiver.close();
  });

  test('a segment is built from conditions, and its count follows every change', async () => {
    const call = (path: string, data: unknown) =>
      page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    const book = await (await call('/contactBooks', { name: 'Readers', variables: ['city'] })).json();
    const people = Array.from({ length: 60 }, (_, index) => ({
      email: `reader${index}@example.org`,
      properties: { city: index % 3 === 0 ? 'Oslo' : 'Ghent' },
    }));
    await call(`/contactBooks/${book.id}/contacts/bulk`, people);

    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByLabel('Name').fill('Oslo');
    await page.keyboard.press('Enter');
    await page.getByText('60 contacts match').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await chooseOption(page.getByLabel('Field'), 'city');
    await chooseOption(page.getByLabel('Operator'), 'is');
    await page.getByText('Complete every condition to save the segment.').waitFor();
    await page.getByLabel('Value').fill('Oslo');
    await page.getByText('20 contacts match').waitFor();
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByLabel('Value').last().fill('reader3@');
    await page.getByText('1 contact matches').waitFor();
    await page.getByRole('button', { name: 'Remove condition' }).last().press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Add condition');
    await page.keyboard.press('Enter');
    await page.getByLabel('Value').last().fill('reader3@');
    await page.getByText('1 contact matches').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Segment saved').waitFor();
    await page.reload();
    await page.getByText('1 contact matches').waitFor();
  });

  test('a topic is made and changed', async () => {
    await page.getByRole('link', { name: 'Topics' }).click();
    await page.getByRole('button', { name: 'Create topic' }).click();
    await page.getByLabel('Name').fill('Weekly news');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Weekly news' }).click();
    await chooseOption(page.getByLabel('Default subscription'), 'Nobody, until they opt in');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Nobody, until they opt in' }).waitFor();
    await expectNothingFromAxe(page);
  });

  test('a template is written with the editor, and the server makes mail of it', async () => {
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByLabel('Name').fill('Welcome');
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: 'Message' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('So good to ');
    await page.getByRole('button', { name: 'Bold' }).click();
    await page.keyboard.type('have you');
    await page.getByRole('button', { name: 'Button', exact: true }).click();
    await page.getByLabel('Button text').fill('Go on');
    await page.getByLabel('URL').fill('https://shop.example/go');
    await page.getByRole('button', { name: 'Insert' }).click();
    await page.getByText('Name, alias and ID').click();
    await page.getByLabel('Alias').fill('wel come');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must have 1 to 64 characters').waitFor();
    await page.getByLabel('Alias').fill('welcome');
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const template = await (await page.request.get('/api/v1/templates/welcome')).json();
    expect(template.id).toBe(id);
    expect(template.variables).toEqual(['firstName']);
    expect(template.html).toContain('have you</strong>');
    expect(template.html).toMatch(/href="https:\/\/shop\.example\/go"[^>]*>Go on</);
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('radio', { name: 'Phone' }).click();
    await page.frameLocator('iframe').getByText('have you').waitFor();
    await expectNothingFromAxe(page);
  });

  test('a webhook is made, fails, is replayed, and its secret is rotated', async () => {
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const { port } = receiver.address() as AddressInfo;
    await page.getByLabel('URL').fill(`http://127.0.0.1:${port}/hooks?token=sesame`);
    await chooseOption(page.getByLabel('Events'), 'Selected events');
    await page.getByText('Select at least one event.').waitFor();
    await chooseOption(page.getByLabel('Events'), 'All events');
    await chooseOption(page.getByLabel('Payload format'), 'Resend');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = await page.getByRole('dialog').locator('code').textContent();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: `http://127.0.0.1:${port}/hooks` }).click();
    await page.getByText('Payload format: Resend').waitFor();
    // The query of the URL may hold a token.
    await expect.poll(() => page.getByText('sesame').count()).toBe(0);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('cell', { name: 'HTTP 500' }).waitFor();
    isUp = true;
    await page.getByRole('button', { name: 'webhook.test' }).click();
    await page.getByText('not today').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('cell', { name: 'Succeeded' }).waitFor();
    await expectNothingFromAxe(page);

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    const rotated = await page.getByRole('dialog').locator('code').textContent();
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
    await page.getByRole('button', { name: 'Done' }).click();
    received.length = 0;
    await page.getByRole('button', { name: 'Send test event' }).click();
    await expect.poll(() => received[0]?.signature.split(' ').length).toBe(2);
    expect(walk.complaints).toEqual([]);
  });
});
