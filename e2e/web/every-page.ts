/** A team with something on every page of the dashboard and webmail. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { addDomain } from '../../src/testing/factories.ts';
import { createCall } from '../../src/testing/test-server.ts';
import type { Walk } from './walk.ts';

/** Returns the parameters of paths by their names in web/router.tsx. */
export async function fillEveryPage(walk: Walk, page: Page): Promise<Record<string, string>> {
  async function create(path: string, data: object): Promise<string> {
    const answer = await page.request.post(`/api/v1${path}`, { data, headers: { origin: walk.server.url } });
    const body = await answer.json();
    expect([path, answer.status(), body]).toEqual([path, 200, expect.anything()]);
    return String(body.id ?? body.contactId ?? body.emailId);
  }

  /** An agent asks for approval. Returns the ID of the approval. */
  async function askForApproval(mailboxId: string): Promise<string> {
    const policyId = await create('/send-policies', { name: 'Ask first', mode: 'approve_all' });
    const agent = { name: 'Assistant', permission: 'full', kind: 'agent', policyId };
    const headers = { origin: walk.server.url };
    const made = await (await page.request.post('/api/v1/api-keys', { data: agent, headers })).json();
    const call = createCall(walk.server.url, made.key);
    const email = { to: ['keeper@example.org'], subject: 'The keeper asks', text: 'May I?' };
    return (await call('POST', `/mailboxes/${mailboxId}/messages`, email)).body.approval_id;
  }

  const { team } = await (await page.request.get('/api/v1/auth/session')).json();
  const domain = await addDomain(walk.server.db, team.id, 'shop.test');
  const book = await create('/contactBooks', { name: 'Readers', variables: ['city'] });
  const html = '<p>Hello</p>';
  const from = 'hello@shop.test';
  const filter = { all: [{ field: 'properties.city', op: 'equals', value: 'Oslo' }] };
  const mailbox = await create('/mailboxes', { address: 'ada@shop.test', name: 'Ada' });
  const ids: Record<string, string> = {
    $bookId: book,
    $domainId: String(domain),
    $contactId: await create(`/contactBooks/${book}/contacts`, { email: 'reader@example.org' }),
    $emailId: await create('/emails', { from, to: 'reader@example.org', subject: 'Welcome aboard', html }),
    $campaignId: await create('/campaigns', {
      name: 'Spring letter',
      subject: 'Spring',
      from,
      html,
      contactBookId: book,
    }),
    $automationId: await create('/automations', {
      name: 'Welcome series',
      contactBookId: book,
      trigger: { event: 'contact.created' },
      steps: [{ key: 'pause', type: 'delay', for: '3 days' }],
    }),
    $templateId: await create('/templates', { name: 'Welcome template', subject: 'Welcome', html }),
    $segmentId: await create('/segments', { name: 'In Oslo', contactBookId: book, filter }),
    $formId: await create('/forms', { name: 'Join us', contactBookId: book }),
    $webhookId: await create('/webhooks', { url: 'https://hooks.example/one', events: ['*'] }),
    $mailboxId: mailbox,
    $folder: 'sent',
    $approvalId: await askForApproval(mailbox),
  };
  await create('/feeds', {
    url: 'https://feed.invalid/rss',
    contactBookId: book,
    templateId: ids.$templateId!,
    from,
    mode: 'each',
  });
  await create('/topics', { name: 'Weekly news' });
  await create('/suppressions', { email: 'gone@example.org' });
  await create('/api-keys', { name: 'Backend', permission: 'sending' });
  await create(`/mailboxes/${mailbox}/messages`, {
    to: ['keeper@example.org'],
    subject: 'The lighthouse keeper',
    text: 'Hello',
  });
  return ids;
}
