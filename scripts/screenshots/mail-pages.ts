import type { MailDay } from './fill-mail.ts';
import type { PageShot } from './pages.ts';

export function mailPagesOf({ mailboxId, threadId }: MailDay): PageShot[] {
  const inbox = `/mail/${mailboxId}/inbox`;
  return [
    { name: 'mail', path: `${inbox}/${threadId}` },
    { name: 'mail-list', path: inbox },
    {
      name: 'mail-compose',
      path: inbox,
      async prepare(page) {
        await page.keyboard.press('c');
        await page.getByRole('combobox', { name: 'To' }).fill('grace@example.org');
        await page.getByLabel('Subject').fill('A book for the voyage');
        await page.getByRole('textbox', { name: 'Message', exact: true }).click();
        await page.keyboard.type('Dear Grace, it is in the post. /');
        await page.getByRole('option').first().waitFor();
      },
    },
    {
      name: 'mail-reply',
      path: `${inbox}/${threadId}`,
      async prepare(page) {
        await page.getByRole('article').waitFor();
        await page.keyboard.press('r');
        const editor = page.getByRole('textbox', { name: 'Message', exact: true });
        await editor.click();
        // The second screenshot finds the draft of the first.
        await page.keyboard.press('Control+A');
        await page.keyboard.type('Dear Grace, soft cover it is.');
        await editor.scrollIntoViewIfNeeded();
        await page.getByText('Draft saved').waitFor();
      },
    },
    { name: 'mail-scheduled', path: `/mail/${mailboxId}/scheduled` },
    {
      name: 'mail-undo',
      path: inbox,
      async prepare(page) {
        await page.keyboard.press('c');
        await page.getByRole('combobox', { name: 'To' }).fill('mary@example.org');
        await page.getByLabel('Subject').fill('Page 12');
        await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Turn it round, please.');
        await page.keyboard.press('Control+Enter');
        await page.getByText(/Sending in/).waitFor();
      },
    },
    {
      name: 'mail-forged',
      path: `/mail/${mailboxId}/spam`,
      async prepare(page) {
        await page.getByRole('link', { name: 'Your account is limited' }).click();
        await page.getByText('May not be from').click();
      },
    },
    {
      name: 'mail-saved-replies',
      path: inbox,
      async prepare(page) {
        await page.getByRole('button', { name: 'Saved replies' }).click();
        await page.getByText('of 100 saved replies').waitFor();
      },
    },
    {
      name: 'mail-shortcuts',
      path: inbox,
      async prepare(page) {
        await page.getByRole('list').first().waitFor();
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
      },
    },
  ];
}
