import { afterAll, beforeAll, expect, test } from 'vitest';
import { findReferences } from '../../../mail/html/find-references.ts';
import { tagNames } from '../../../mail/html/merge-tags.ts';
import { isContactTag, isLinkTag } from '../../../mail/html/tag-names.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import type { Starter } from './starters.schema.ts';

let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
});
afterAll(() => server.close());

async function list(): Promise<Starter[]> {
  const { status, body } = await team.call('GET', '/starter-templates');
  expect(status).toBe(200);
  return body.items;
}

test('there are a dozen, each with its own id and a document that templates accept', async () => {
  const starters = await list();
  expect(new Set(starters.map(({ id }) => id)).size).toBe(12);
  for (const { name, subject, content, html } of starters) {
    const { status, body } = await team.call('POST', '/templates', { name, subject, content });
    expect([name, status]).toEqual([name, 200]);
    expect(body.html).toBe(html);
  }
});

test('mail programs can show them: small, with tables for Outlook, a dark mode, and no image without text', async () => {
  for (const { id, html } of await list()) {
    expect([id, Buffer.byteLength(html) < 30 * 1024]).toEqual([id, true]);
    expect(html).toContain('<!--[if mso]>');
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).toContain('class="ph-footer"');
    const { images, links } = findReferences(html);
    expect(images.filter(({ alt }) => alt === null)).toEqual([]);
    expect(links.filter(({ url }) => !/^(https:|\{\{)/.test(url))).toEqual([]);
    // Outlook knows neither, and Gmail removes a style that contains a URL.
    expect(html).not.toMatch(/display:\s*(flex|grid)|position:|url\(/);
  }
});

test('those for campaigns have an unsubscribe link and only merge tags of contacts', async () => {
  for (const { html, subject, forCampaigns } of await list()) {
    const names = tagNames(`${subject} ${html}`);
    expect(names.includes('unsubscribeUrl')).toBe(forCampaigns);
    if (forCampaigns) expect(names.filter((name) => !isContactTag(name, []) && !isLinkTag(name))).toEqual([]);
  }
});

test('they have the brand of the team', async () => {
  const brand = {
    logoUrl: 'https://shop.test/logo.png',
    buttonColor: '#aa0011',
    postalAddress: '1 Harbour Street',
  };
  expect((await team.call('PATCH', '/brand', brand)).status).toBe(200);
  for (const { id, html } of await list()) {
    expect([id, html.includes('1 Harbour Street')]).toEqual([id, true]);
    if (id === 'plain-letter') continue;
    expect(html).toContain('src="https://shop.test/logo.png" alt="Test team"');
    if (id !== 'digest') expect(html).toContain('#aa0011');
  }
});
