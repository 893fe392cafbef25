import type { Page } from 'playwright-core';
import type { Shop } from './fill-shop.ts';

export interface PageShot {
  name: string;
  /** Null to stay on the current page. */
  path: string | null;
  /** True for a screenshot on a phone as well, `only` for a phone alone. */
  phone?: boolean | 'only';
  prepare?(page: Page): Promise<void>;
}

export function pagesOf(shop: Shop): PageShot[] {
  const book = `/contact-books/${shop.bookId}`;
  return [
    { name: 'overview', path: '/', phone: true, prepare: (page) => page.locator('.uplot').last().waitFor() },
    { name: 'emails', path: '/emails', phone: true },
    { name: 'email', path: `/emails/${shop.emailId}`, phone: true },
    { name: 'campaigns', path: '/campaigns', phone: true },
    {
      name: 'draft',
      path: `/campaigns/${shop.draftId}`,
      phone: true,
      prepare: (page) => page.getByRole('toolbar').waitFor(),
    },
    {
      name: 'preview',
      path: `/campaigns/${shop.draftId}`,
      async prepare(page) {
        await page.getByRole('tab', { name: 'Preview' }).click();
        await page.getByText('will see it.').waitFor();
        await page.frameLocator('iframe').locator('p').first().waitFor();
      },
    },
    { name: 'campaign', path: `/campaigns/${shop.campaignId}`, phone: true },
    { name: 'templates', path: '/templates' },
    {
      name: 'template',
      path: `/templates/${shop.templateId}`,
      prepare: (page) => page.getByRole('toolbar').waitFor(),
    },
    { name: 'segments', path: '/segments' },
    {
      name: 'segment',
      path: `/segments/${shop.segmentId}`,
      phone: true,
      prepare: (page) => page.getByText(/match/).last().waitFor(),
    },
    { name: 'topics', path: '/topics' },
    { name: 'forms', path: '/forms' },
    { name: 'form', path: `/forms/${shop.formId}`, phone: true },
    { name: 'queue', path: '/queue' },
    { name: 'brand', path: '/brand' },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'webhook', path: `/webhooks/${shop.webhookId}` },
    { name: 'domains', path: '/domains' },
    { name: 'domain', path: `/domains/${shop.domainId}`, phone: true },
    { name: 'suppressions', path: '/suppressions' },
    { name: 'sandbox', path: '/sandbox' },
    { name: 'contact-books', path: '/contact-books' },
    { name: 'contacts', path: book, phone: true },
    {
      name: 'contact',
      path: book,
      async prepare(page) {
        await page.getByRole('cell').getByRole('link').first().click();
        await page.waitForURL(/\/contacts\//);
      },
    },
    {
      name: 'import',
      path: `${book}/import`,
      async prepare(page) {
        const csv = 'E-mail,First Name,Town,Notes\ngrace@example.org,Grace,Arlington,\n';
        await page
          .locator('input[type=file]')
          .setInputFiles({ name: 'friends.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
        await page.getByRole('table').waitFor();
      },
    },
    { name: 'api-keys', path: '/api-keys' },
    { name: 'team', path: '/team' },
    { name: 'settings', path: '/settings' },
    {
      name: 'palette',
      path: '/emails',
      async prepare(page) {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'navigation',
      path: '/emails',
      phone: 'only',
      async prepare(page) {
        await page.getByRole('button', { name: 'Open navigation' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
  ];
}
