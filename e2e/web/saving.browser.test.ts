import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
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
} from './walk.ts';

describe.skipIf(browserPath === null)('saving', { timeout: 90_000 }, () => {
  let walk: Walk;
  let page: Page;
  let book: { id: string };

  async function call(method: string, path: string, data?: unknown) {
    const headers = { origin: walk.server.url };
    const answer = await page.request.fetch(`/api/v1${path}`, { method, data, headers });
    expect(answer.status()).toBe(200);
    return answer.json();
  }

  async function makeCampaign(subject: string): Promise<string> {
    const campaign = await call('POST', '/campaigns', {
      name: subject,
      subject,
      from: 'News <news@shop.test>',
      contactBookId: book.id,
      html: '<p>Hello</p>',
    });
    return campaign.id;
  }

  beforeAll(async () => {
    walk = await startWalk();
    page = await signUp(walk);
    const domain = await call('POST', '/domains', { name: 'shop.test' });
    await call('PUT', `/domains/${domain.id}/verify`);
    const isVerified = async () => (await call('GET', `/domains/${domain.id}`)).status === 'SUCCESS';
    await vi.waitUntil(isVerified, { timeout: 30_000 });
    book = await call('POST', '/contactBooks', { name: 'Readers', variables: ['city'] });
  });
  afterEach(() => page.context().setOffline(false));
  afterAll(() => walk.close());

  test('a template that is not saved asks before it is left, once', async () => {
    const { id } = await call('POST', '/templates', { name: 'Welcome', html: '<p>Hello</p>' });
    await page.goto(`/templates/${id}`);
    await page.getByLabel('Subject').fill('Good to have you');
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await expectNothingFromAxe(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Good to have you');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();
    await page.getByRole('link', { name: 'Segments' }).click();
    await page.getByText('No segments yet').waitFor();

    await page.goBack();
    await page.getByLabel('Subject').fill('Never mind');
    await page.goForward();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByText('No segments yet').waitFor();
    await expect.poll(async () => (await call('GET', `/templates/${id}`)).subject).toBe('Good to have you');

    await page.goto(`/templates/${id}`);
    await page.getByLabel('Subject').fill('Never mind');
    await chooseAction(page, 'Delete template');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
    await page.getByText('No templates yet').waitFor();
  });

  test('so do the conditions of a segment, and closing the tab asks too', async () => {
    const input = { name: 'Oslo', contactBookId: book.id, filter: { all: [] } };
    const { id } = await call('POST', '/segments', input);
    await page.goto(`/segments/${id}`);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).waitFor();
    await page.keyboard.press('Escape');
    const asked = page.waitForEvent('dialog');
    const leaving = page.goto('/topics').catch(() => null);
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await leaving;
  });

  test('of a campaign’s draft with one wrong field the others are saved, and leaving asks', async () => {
    const id = await makeCampaign('Wrong sender');
    const saves = countSaves(page);
    await page.goto('/campaigns');
    await page.getByRole('link', { name: 'Wrong sender' }).click();
    await openCampaignSettings(page);
    await page.getByRole('textbox', { name: 'From' }).fill('News <news@elsewhere.test>');
    await page.getByText('From must use a domain that your team has verified').waitFor();
    await closeCampaignSettings(page);
    await page.getByLabel('HTML').fill('<p>A whole letter</p>');
    await page.getByText('Saved, except the marked fields').waitFor();
    await page.getByRole('button', { name: 'Must be corrected' }).waitFor();
    await expectNothingFromAxe(page);
    await expect
      .poll(() => call('GET', `/campaigns/${id}`))
      .toMatchObject({
        from: 'News <news@shop.test>',
        html: '<p>A whole letter</p>',
      });
    const before = saves.count;
    await page.waitForTimeout(2_500);
    expect(saves.count).toBe(before);

    await page.getByLabel('Preview text').fill('Read on');
    await page.getByRole('link', { name: 'Topics' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).previewText).toBe('Read on');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Must be corrected' }).click();
    await page.getByText('From must use a domain that your team has verified').waitFor();
    await page.getByRole('textbox', { name: 'From' }).fill('Shop <shop@shop.test>');
    await closeCampaignSettings(page);
    await page.getByRole('link', { name: 'Topics' }).click();
    await page.getByText('No topics yet').waitFor();
    await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).from).toBe('Shop <shop@shop.test>');
  });

  test('a draft whose segment and topic were deleted shows so, and others can be chosen', async () => {
    const id = await makeCampaign('Orphan');
    const filter = { all: [] };
    const segment = await call('POST', '/segments', { name: 'Londoners', contactBookId: book.id, filter });
    const topic = await call('POST', '/topics', { name: 'Jobs' });
    await call('PATCH', `/campaigns/${id}`, { segmentId: segment.id, topicId: topic.id });
    await call('DELETE', `/segments/${segment.id}`);
    await call('DELETE', `/topics/${topic.id}`);
    await page.goto(`/campaigns/${id}`);
    await openCampaignSettings(page);
    for (const [label, other] of [
      ['Segment', 'All subscribed contacts'],
      ['Topic', 'No topic'],
    ] as const) {
      const field = page.getByLabel(label);
      await field.getByText('Deleted. Choose another').waitFor();
      await chooseOption(field, other);
    }
    await page.getByText('All changes saved').waitFor();
    await expect
      .poll(() => call('GET', `/campaigns/${id}`))
      .toMatchObject({ segmentId: null, topicId: null });
  });

  test('a draft that was changed without a connection is saved when it is back', async () => {
    const id = await makeCampaign('Offline');
    const saves = countSaves(page);
    await page.goto('/campaigns');
    await page.getByRole('link', { name: 'Offline' }).click();
    await page.getByLabel('Preview text').waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Preview text').fill('Written in a tunnel');
    await page.getByText('Not saved. Retrying…').waitFor();
    await expect.poll(() => saves.count).toBeGreaterThanOrEqual(3);
    await page.getByRole('link', { name: 'Topics' }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.context().setOffline(false);
    await page.getByText('All changes saved').waitFor();
    await expect
      .poll(async () => (await call('GET', `/campaigns/${id}`)).previewText)
      .toBe('Written in a tunnel');

    // The browser does not report that the connection is back.
    await page.route('**/api/v1/campaigns/*', (route) => route.abort());
    await page.getByLabel('Preview text').fill('Written in a cellar');
    await page.getByText('Not saved. Retrying…').waitFor();
    await page.unroute('**/api/v1/campaigns/*');
    await page.getByText('All changes saved').waitFor();
    await expect
      .poll(async () => (await call('GET', `/campaigns/${id}`)).previewText)
      .toBe('Written in a cellar');
  });

  test('a draft that is open in two tabs keeps the changes of both', async () => {
    const id = await makeCampaign('Two tabs');
    const other = await page.context().newPage();
    await page.goto(`/campaigns/${id}`);
    await page.getByLabel('Subject').waitFor();
    await other.goto(`/campaigns/${id}`);
    await other.getByLabel('Subject').fill('The better subject');
    await other.getByText('All changes saved').waitFor();
    // This tab has not noticed the change yet.
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Two tabs');
    await page.getByLabel('Preview text').fill('Read on');
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('The better subject');
    await expect
      .poll(() => call('GET', `/campaigns/${id}`))
      .toMatchObject({
        subject: 'The better subject',
        previewText: 'Read on',
      });
    await other.close();
  });

  test('content that was changed in two tabs is asked about, and neither is lost', async () => {
    const id = await makeCampaign('Twice');
    const other = await page.context().newPage();
    await page.goto(`/campaigns/${id}`);
    await page.getByLabel('HTML').waitFor();
    await other.goto(`/campaigns/${id}`);
    for (const [choice, kept, version] of [
      ['Keep mine', '<p>Mine</p>', '<p>Theirs</p>'],
      ['Use theirs', '<p>Theirs</p>', '<p>Mine</p>'],
    ] as const) {
      await other.getByLabel('HTML').fill('<p>Theirs</p>');
      await other.getByText('All changes saved').waitFor();
      await page.getByLabel('HTML').fill('<p>Mine</p>');
      await page.getByText('Not saved. Changed elsewhere too').waitFor();
      await expectNothingFromAxe(page);
      expect((await call('GET', `/campaigns/${id}`)).html).toBe('<p>Theirs</p>');
      await page.getByRole('button', { name: choice }).click();
      await page.getByText('All changes saved').waitFor();
      await expect.poll(() => page.getByLabel('HTML').inputValue()).toBe(kept);
      expect((await call('GET', `/campaigns/${id}`)).html).toBe(kept);
      const { items } = await call('GET', `/campaigns/${id}/versions`);
      expect((await call('GET', `/campaigns/${id}/versions/${items[0].id}`)).html).toBe(version);
      await page.getByLabel('HTML').fill('<p>A new start</p>');
      await page.getByText('All changes saved').waitFor();
      await other.reload();
    }
    await other.close();
  });

  test('so is a template, unless other parts of it were changed', async () => {
    const { id } = await call('POST', '/templates', { name: 'Twice', html: '<p>Hello</p>' });
    const other = await page.context().newPage();
    await page.goto(`/templates/${id}`);
    await page.getByLabel('HTML').waitFor();
    await other.goto(`/templates/${id}`);
    await other.getByLabel('Subject').fill('Their subject');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Template saved').waitFor();
    for (const [choice, kept] of [
      ['Keep mine', '<p>Mine</p>'],
      ['Use theirs', '<p>Theirs</p>'],
    ] as const) {
      await page.getByLabel('HTML').fill('<p>Beside it</p>');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(async () => (await call('GET', `/templates/${id}`)).html).toBe('<p>Beside it</p>');
      await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Their subject');
      await other.reload();
      await other.getByLabel('HTML').fill('<p>Theirs</p>');
      await other.getByRole('button', { name: 'Save' }).click();
      await expect.poll(async () => (await call('GET', `/templates/${id}`)).html).toBe('<p>Theirs</p>');
      await page.getByLabel('HTML').fill('<p>Mine</p>');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This template was changed elsewhere').waitFor();
      if (choice === 'Keep mine') await expectNothingFromAxe(page);
      await page.getByRole('button', { name: choice }).click();
      await page.getByText('This template was changed elsewhere').waitFor({ state: 'detached' });
      await expect.poll(() => page.getByLabel('HTML').inputValue()).toBe(kept);
      expect((await call('GET', `/templates/${id}`)).html).toBe(kept);
    }
    const { items } = await call('GET', `/templates/${id}/versions`);
    const versions = items.map((item: { id: string }) => call('GET', `/templates/${id}/versions/${item.id}`));
    expect((await Promise.all(versions)).map(({ html }) => html)).toContain('<p>Theirs</p>');
    await other.close();
  });

  test('what is typed while a template is saved beside the changes of somebody else is kept', async () => {
    const { id } = await call('POST', '/templates', { name: 'Typing', html: '<p>Hello</p>' });
    await page.goto(`/templates/${id}`);
    await page.getByLabel('HTML').fill('<p>Mine</p>');
    await call('PATCH', `/templates/${id}`, { subject: 'Their subject' });
    await page.route(`**/templates/${id}`, async (route) => {
      if (route.request().method() === 'GET') await page.getByLabel('HTML').fill('<p>Mine, longer</p>');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Template saved').waitFor();
    await page.unroute(`**/templates/${id}`);
    expect(await call('GET', `/templates/${id}`)).toMatchObject({
      subject: 'Their subject',
      html: '<p>Mine</p>',
    });
    expect(await page.getByLabel('HTML').inputValue()).toBe('<p>Mine, longer</p>');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Their subject');
    expect(await call('GET', `/templates/${id}`)).toMatchObject({
      subject: 'Their subject',
      html: '<p>Mine, longer</p>',
    });
  });

  test('what was typed just before the tab is closed is saved', async () => {
    const id = await makeCampaign('Hasty');
    const hasty = await page.context().newPage();
    await hasty.goto(`/campaigns/${id}`);
    await hasty.getByLabel('HTML').fill('<p>Just in time</p>');
    await hasty.close({ runBeforeUnload: false });
    await expect.poll(async () => (await call('GET', `/campaigns/${id}`)).html).toBe('<p>Just in time</p>');
  });

  test('adding a contact that is already in the book changes nothing and opens the contact', async () => {
    const contact = { firstName: 'Grace', lastName: 'Hopper', properties: { city: 'Oslo' } };
    await call('POST', `/contactBooks/${book.id}/contacts`, { email: 'grace@example.org', ...contact });
    await page.goto(`/contact-books/${book.id}`);
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByLabel('Email address').fill('Grace@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('grace@example.org is already in this book.').waitFor();
    await expectNothingFromAxe(page);
    const { items } = await call('GET', `/contactBooks/${book.id}/contacts`);
    expect(items).toEqual([expect.objectContaining(contact)]);
    await page.getByRole('button', { name: 'View contact' }).click();
    await page.getByRole('heading', { name: 'grace@example.org' }).waitFor();
    await expect.poll(() => page.getByLabel('First name').inputValue()).toBe('Grace');

    await page.goto(`/contact-books/${book.id}`);
    await page.getByRole('button', { name: 'Add contact' }).click();
    await page.getByLabel('Email address').fill('alan@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'alan@example.org' }).waitFor();
  });

  test('what is pressed again because its answer was lost is made and sent once', async () => {
    await page.goto('/contact-books');
    await page.getByRole('button', { name: 'Create contact book' }).first().click();
    await page.getByLabel('Name').fill('Once');
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create' });
    await loseAnswer(page, '**/api/v1/contactBooks', () => create.click());
    await page.getByText('Could not reach the server').waitFor();
    await create.dblclick();
    await page.getByRole('heading', { name: 'Once' }).waitFor();
    const books: { name: string }[] = await call('GET', '/contactBooks');
    expect(books.filter(({ name }) => name === 'Once')).toHaveLength(1);

    await page.goto(`/campaigns/${await makeCampaign('Tried out')}`);
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByLabel('To').fill('open@simulator.test');
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send test' });
    await loseAnswer(page, '**/api/v1/campaigns/*/test', () => send.click());
    await page.getByText('Could not reach the server').waitFor();
    await send.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { items } = await call('GET', '/emails?search=Tried');
    expect(items).toHaveLength(1);
  });

  test('a click beside a form or a secret closes neither, Escape does', async () => {
    await page.goto('/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name').fill('Website');
    await page.mouse.click(5, 400);
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Website');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('dialog').locator('code').waitFor();
    await page.mouse.click(5, 400);
    await expect.poll(() => page.getByRole('dialog').locator('code').textContent()).toMatch(/^ph_/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

/** Counts how often the page tries to save a campaign. */
function countSaves(page: Page): { count: number } {
  const saves = { count: 0 };
  page.on('request', (request) => {
    if (request.method() === 'PATCH') saves.count += 1;
  });
  return saves;
}

/** Sends one request to the server, but withholds its response from the page. */
async function loseAnswer(page: Page, path: string, press: () => Promise<void>): Promise<void> {
  const isLost = new Promise<void>((resolve, reject) => {
    void page.route(path, (route) => lose(route).then(resolve, reject), { times: 1 }).then(press);
  });
  await isLost;
}

async function lose(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}
