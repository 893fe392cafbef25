import type { Page } from 'playwright-core';
import type { Shop } from './fill-shop.ts';

export interface PageShot {
  name: string;
  /** Null to stay on the current page. */
  path: string | null;
  /** Shown to visitors, without the session. */
  isPublic?: boolean;
  prepare?(page: Page): Promise<void>;
}

/** The pages of docs/screenshots. The others are taken by name, to look at them. */
export const WALK = [
  'overview-new',
  'overview',
  'emails',
  'email',
  'campaigns',
  'draft',
  'campaign',
  'archive',
  'archive-issue',
  'contact-books',
  'contacts',
  'import',
  'segment',
  'form',
  'automation',
  'templates',
  'media',
  'domain',
  'api-keys',
  'logs',
  'settings',
  'sandbox',
  'mail-list',
  'mail',
  'mail-compose',
];

export function pagesOf(shop: Shop): PageShot[] {
  const book = `/contact-books/${shop.bookId}`;
  return [
    { name: 'overview', path: '/', prepare: (page) => page.locator('.uplot').last().waitFor() },
    { name: 'emails', path: '/emails' },
    { name: 'email', path: `/emails/${shop.emailId}` },
    { name: 'campaigns', path: '/campaigns' },
    {
      name: 'draft',
      path: `/campaigns/${shop.draftId}`,
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
    { name: 'campaign', path: `/campaigns/${shop.campaignId}` },
    {
      name: 'automation',
      path: `/automations/${shop.automationId}`,
      prepare: (page) => page.getByRole('button', { name: /^Send an email: Good to have you/ }).waitFor(),
    },
    {
      name: 'media',
      path: '/media',
      prepare: (page) => page.getByRole('main').locator('img').first().waitFor(),
    },
    { name: 'logs', path: '/logs' },
    { name: 'archive', path: `/a/${shop.bookId}`, isPublic: true },
    { name: 'archive-issue', path: `/a/${shop.bookId}/${shop.archivedId}`, isPublic: true },
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
      prepare: (page) => page.getByText(/match/).last().waitFor(),
    },
    { name: 'topics', path: '/topics' },
    { name: 'forms', path: '/forms' },
    { name: 'form', path: `/forms/${shop.formId}` },
    { name: 'queue', path: '/queue' },
    { name: 'brand', path: '/brand' },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'webhook', path: `/webhooks/${shop.webhookId}` },
    { name: 'domains', path: '/domains' },
    { name: 'domain', path: `/domains/${shop.domainId}` },
    { name: 'suppressions', path: '/suppressions' },
    { name: 'sandbox', path: '/sandbox' },
    { name: 'contact-books', path: '/contact-books' },
    { name: 'contacts', path: book },
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
      async prepare(page) {
        await page.getByRole('button', { name: 'Open navigation' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
  ];
}
