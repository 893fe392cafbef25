import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type Walk,
  browserPath,
  chooseAction,
  chooseOption,
  expectNothingFromAxe,
  signUp,
  startWalk,
  openCampaignSettings,
  closeCampaignSettings,
  goToSendTime,
} from './walk.ts';

// There are enough recipients that the campaign can be paused before all are sent.
const RECIPIENTS = 1_000;
const SHOWN = RECIPIENTS.toLocaleString('en');

describe.skipIf(browserPath === null)('a campaign', { timeout: 120_000 }, () => {
  let walk: Walk;
  let page: Page;

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    const call = async (method: string, path: string, data?: unknown) => {
      const answer = await page.request.fetch(`/api/v1${path}`, {
        method,
        data,
        headers: { origin: walk.server.url },
      });
      expect(answer.status()).toBe(200);
      return answer.json();
    };
    const domain = await call('POST', '/domains', { name: 'shop.test' });
    await call('PUT', `/domains/${domain.id}/verify`);
    const isVerified = async () => (await call('GET', `/domains/${domain.id}`)).status === 'SUCCESS';
    await vi.waitUntil(isVerified, { timeout: 30_000 });
    const book = await call('POST', '/contactBooks', { name: 'Readers', variables: ['city'] });
    const content = JSON.stringify({
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'As every month' }] }],
    });
    await call('POST', '/templates', { name: 'Monthly', subject: 'This month', content });
    // With these templates, Monthly is not on the first page of the list.
    await Promise.all(
      Array.from({ length: 100 }, (_, n) => call('POST', '/templates', { name: `Other ${n}`, content })),
    );
    const people = Array.from({ length: RECIPIENTS }, (_, index) => ({
      email: `reader${index}@example.org`,
      firstName: `Reader ${index}`,
      properties: { city: 'Oslo' },
    }));
    await call('POST', `/contactBooks/${book.id}/contacts/bulk`, people);
  });
  afterAll(() => walk.close());

  test('is written, saves itself, and is tried out', async () => {
    await page.goto('/campaigns');
    await page.getByText('No campaigns yet').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('November');
    await page.getByRole('dialog').getByLabel('Subject').fill('News for {{firstName,fallback=you}}');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    const editor = page.getByRole('textbox', { name: 'Message' });
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('New books from ');
    await page.getByRole('button', { name: 'Merge tag' }).click();
    await page.getByRole('menuitem', { name: '{{city}}' }).click();
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{{cty}}');
    await page.getByText('Unknown merge tags: {{cty}}.').waitFor();
    await expect.poll(() => editor.locator('.unknown-tag').allTextContents()).toEqual(['cty']);
    for (let times = 0; times < 8 && (await editor.innerText()).includes('cty'); times++)
      await page.keyboard.press('Backspace');
    await expect.poll(() => page.getByText('Unknown merge tags').count()).toBe(0);
    await page.getByLabel('Preview text').fill('Read on');
    await page.getByText('All changes saved').waitFor();
    await expectNothingFromAxe(page);
    await openCampaignSettings(page);
    await page.getByRole('textbox', { name: 'From' }).fill('News <news@elsewhere.test>');
    await page.getByText('From must use a domain that your team has verified').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('textbox', { name: 'From' }).fill('News <news@shop.test>');
    await closeCampaignSettings(page);
    await page.getByText('All changes saved').waitFor();
    await page.reload();
    await page.getByText('New books from city').waitFor();
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.frameLocator('iframe').getByText('New books from Oslo').waitFor();
    const person = page.getByRole('combobox', { name: 'Preview as contact' });
    await person.fill('nobody there');
    await page.getByText('No contact matches “nobody there”.').waitFor();
    // A name finds people too, and Enter takes the marked one.
    await person.fill('Reader 771');
    await page.getByRole('option', { name: 'reader771@example.org' }).waitFor();
    await person.fill('reader7@');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await person.press('Enter');
    await page.getByText('Shown as reader7@example.org will see it.').waitFor();
    await page.getByText('News for Reader 7', { exact: true }).waitFor();
    await page.getByRole('radio', { name: 'Phone' }).click();
    await expect.poll(async () => (await page.locator('iframe').boundingBox())!.width).toBeLessThan(400);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByLabel('To').fill('reader7@example.org');
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Test sent').waitFor();
  });

  test('is sent, paused and resumed while its numbers are watched, and reaches everyone once', async () => {
    await page.getByRole('button', { name: 'Send…' }).click();
    await page.getByRole('dialog').getByText(`${SHOWN} recipients`).waitFor();
    await expectNothingFromAxe(page);
    await goToSendTime(page);
    await page.getByText('Advanced').click();
    await expectNothingFromAxe(page);
    await page.getByLabel('Batch size').fill('20');
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('progressbar').waitFor();
    const resumed: string[] = [];
    page.on('request', (request) => request.url().endsWith('/resume') && resumed.push(request.url()));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    // The second click of a double-click.
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await expectNothingFromAxe(page);
    expect(resumed).toHaveLength(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Sent', { exact: true }).first().waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached', timeout: 60_000 });
    await expect
      .poll(async () => (await page.locator('dl').first().innerText()).replaceAll(/\s+/g, ' '), {
        timeout: 30_000,
      })
      .toContain(`Delivered 100% ${SHOWN} of ${SHOWN} sent`);
    await expectNothingFromAxe(page);
    await page.getByRole('tab', { name: 'Recipients' }).click();
    const first = page.getByRole('row').filter({ hasText: 'reader100@example.org' });
    await first.getByText('Delivered').waitFor({ timeout: 30_000 });
    await page.getByRole('link', { name: 'reader100@example.org' }).click();
    await page.getByRole('heading', { name: 'News for Reader 100' }).waitFor();
    await page.frameLocator('iframe').getByText('New books from Oslo').waitFor();
    expect(walk.complaints).toEqual([]);
  });

  test('that was sent can be duplicated, also when its topic is gone', async () => {
    const sent = (await (await page.request.get('/api/v1/campaigns?status=SENT')).json()).campaigns[0];
    const headers = { origin: walk.server.url };
    const made = await page.request.post('/api/v1/topics', { data: { name: 'Gone' }, headers });
    const topicId = (await made.json()).id;
    const copy = async () => {
      await chooseAction(page, 'Duplicate');
      await expectNothingFromAxe(page);
      await page.getByRole('button', { name: 'Create campaign' }).click();
      await page.getByRole('button', { name: 'Send…' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      return (await page.request.get(`/api/v1/campaigns/${id}`)).json();
    };
    await page.goto(`/campaigns/${sent.id}`);
    const first = await copy();
    const { content, previewText, contactBookIds } = await (
      await page.request.get(`/api/v1/campaigns/${sent.id}`)
    ).json();
    await page.getByLabel('Subject', { exact: true }).fill('Typed just before');
    expect(await copy()).toMatchObject({ name: 'Copy of Copy of November', subject: 'Typed just before' });
    await page.goto(`/campaigns/${first.id}`);
    expect(first).toMatchObject({
      name: 'Copy of November',
      status: 'DRAFT',
      sent: 0,
      subject: sent.subject,
      content,
      previewText,
      contactBookIds,
      batchSize: 20,
    });
    await page.getByText('New books from city').waitFor();

    // Large batches, because only the end of this campaign matters.
    const changes = { topicId, batchSize: RECIPIENTS };
    await page.request.patch(`/api/v1/campaigns/${first.id}`, { data: changes, headers });
    await page.request.post(`/api/v1/campaigns/${first.id}/schedule`, { data: {}, headers });
    await page.reload();
    await page.getByText('Finished').waitFor({ timeout: 60_000 });
    expect((await page.request.delete(`/api/v1/topics/${topicId}`, { headers })).status()).toBe(200);
    expect(await copy()).toMatchObject({ name: 'Copy of Copy of November', topicId: null });
  });

  test('begins with a template, and tells before it leaves that there is nothing in it', async () => {
    await page.goto('/campaigns');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Advent');
    await page.getByText('Your template').click();
    await chooseOption(page.getByLabel('Template', { exact: true }), 'Monthly');
    await page.getByText('Event invitation').waitFor();
    await page.getByRole('dialog').locator('label', { hasText: 'Your template' }).locator('iframe').waitFor();
    await expect.poll(() => page.getByRole('dialog').getByLabel('Subject').inputValue()).toBe('This month');
    await page.getByRole('button', { name: 'Create campaign' }).click();
    await page.getByText('As every month').click();
    const warning = page.getByText('The content is empty.');
    const look = async () => {
      await page.getByRole('button', { name: 'Send…' }).click();
      await page.getByRole('dialog').getByText(`${SHOWN} recipients`).waitFor();
    };
    await look();
    await expect.poll(() => warning.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('As every month').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await look();
    await warning.waitFor();
    await expectNothingFromAxe(page);
  });

  test('can be told to leave later, in a time zone of one’s choice', async () => {
    await goToSendTime(page);
    await chooseOption(page.getByLabel('When'), 'Later');
    await page.getByLabel('Date and time').fill(`${new Date().getUTCFullYear() + 1}-07-01T09:00`);
    await chooseOption(page.getByLabel('Time zone'), 'America/New York');
    await page.getByLabel('Date and time (UTC-4)').waitFor();
    await page.getByRole('button', { name: 'Schedule' }).click();
    await page.getByText('Scheduled', { exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const campaign = await (await page.request.get(`/api/v1/campaigns/${id}`)).json();
    expect(campaign.scheduledAt).toMatch(/-07-01T13:00:00\.000Z$/);
    await page.getByText(/Scheduled for 1 Jul \d+, \d\d:00:00 UTC/).waitFor();
    await expectNothingFromAxe(page);
  });

  test('that waits for its time can be moved, corrected and made a draft again', async () => {
    const campaign = async () => {
      const id = new URL(page.url()).pathname.split('/').at(-1);
      return (await page.request.get(`/api/v1/campaigns/${id}`)).json();
    };
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/Was scheduled for 1 Jul/).waitFor();
    await page.getByText('If you resume before that time, the campaign waits until then.').waitFor();
    await expect.poll(() => page.getByText(/Scheduled for/).count()).toBe(0);
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/Scheduled for 1 Jul/).waitFor();

    await page.getByRole('button', { name: 'Change time' }).click();
    // A date field is empty for a moment while it is retyped, and then has no time.
    await chooseOption(page.getByLabel('Time zone'), 'America/New York');
    await page.getByLabel('Date and time').fill('');
    await page.getByLabel('Date and time (UTC)').waitFor();
    await page.getByLabel('Date and time').fill(`${new Date().getUTCFullYear() + 1}-08-02T10:30`);
    await chooseOption(page.getByLabel('Time zone'), 'UTC');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Scheduled for 2 Aug/).waitFor();
    await expect.poll(async () => (await campaign()).scheduledAt).toMatch(/-08-02T10:30:00\.000Z$/);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Subject').fill('Corrected');
    await page.getByText('Unsaved changes').waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Save your changes first.').waitFor();
    await page.getByRole('button', { name: 'Stop editing' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(async () => (await campaign()).subject).toBe('This month');
    // A save is atomic: if one field is rejected, the others must not be saved either.
    const before = await campaign();
    await page.getByLabel('Preview text').fill('Half');
    await page.getByLabel('Subject').fill('For {{plann}}');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(/No contact has a value for these merge tags/).waitFor();
    await expect.poll(campaign).toEqual(before);
    await page.getByLabel('Subject').fill('Corrected');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    await page.getByText(/Scheduled for 2 Aug/).waitFor();
    await expect.poll(campaign).toMatchObject({ subject: 'Corrected', status: 'SCHEDULED' });

    await chooseAction(page, 'Unschedule');
    await page.getByText('The campaign is now a draft').waitFor();
    await page.getByRole('button', { name: 'Send…' }).waitFor();
    await expect.poll(campaign).toMatchObject({ status: 'DRAFT', scheduledAt: null });
  });

  test('that starts while it is edited keeps unsaved changes on the screen', async () => {
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const call = (action: string, data: object) =>
      page.request.post(`/api/v1/campaigns/${id}/${action}`, { data, headers: { origin: walk.server.url } });
    await call('schedule', { scheduledAt: '2031-01-01T08:00:00Z' });
    await page.reload();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Subject').fill('Too late');
    await call('schedule', {});
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('cannot be changed').first().waitFor();
    await page.getByText('This campaign has already started').waitFor({ timeout: 20_000 });
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Too late');
    await expectNothingFromAxe(page);
    expect(walk.complaints).toEqual([]);
  });
});
