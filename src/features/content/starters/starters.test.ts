import { afterAll, beforeAll, expect, test } from 'vitest';
import { findReferences } from '../../../mail/html/find-references.ts';
import { tagNames } from '../../../mail/html/merge-tags.ts';
import { isLinkTag } from '../../../mail/html/tag-names.ts';
import { addDomain } from '../../../testing/factories.ts';
import { findBrokenRules } from '../../../testing/mail-client-rules.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';
import { isContactTag } from '../../audience/own-fields/own-fields.ts';
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

test('email apps can show them: small, with tables for Outlook, a dark mode, and no image without text', async () => {
  for (const { id, html } of await list()) {
    expect([id, Buffer.byteLength(html) < 30 * 1024]).toEqual([id, true]);
    expect(html).toContain('<!--[if mso]>');
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).toContain('class="ph-footer"');
    const { images, links } = findReferences(html);
    expect(images.filter(({ alt }) => alt === null)).toEqual([]);
    expect(links.filter(({ url }) => !/^(https:|\{\{)/.test(url))).toEqual([]);
    // Outlook supports neither, and Gmail removes a style that contains a URL.
    expect(html).not.toMatch(/display:\s*(flex|grid)|position:|url\(/);
  }
});

test('they keep the rules of Outlook, Gmail and Apple Mail, with and without a brand', async () => {
  const own = await server.createTeam();
  const book = (await own.call('POST', '/contactBooks', { name: 'News' })).body.id;
  await addDomain(server.db, own.teamId, `starters${own.teamId}.test`);
  const brand = {
    logoUrl: 'https://shop.test/logo.png',
    backgroundColor: '#eeeeee',
    contentColor: '#ffffff',
    textColor: '#222222',
    fontFamily: 'serif',
    postalAddress: '1 Harbour Street',
  };
  for (const fields of [{}, brand]) {
    expect((await own.call('PATCH', '/brand', fields)).status).toBe(200);
    for (const { id, subject, html, content, forCampaigns } of (await own.call('GET', '/starter-templates'))
      .body.items as Starter[]) {
      expect([id, findBrokenRules(html)]).toEqual([id, []]);
      if (!forCampaigns) continue;
      const from = `a@starters${own.teamId}.test`;
      const campaign = { name: id, from, subject, contactBookId: book, content };
      const { body } = await own.call('POST', '/campaigns', campaign);
      const { findings } = (await own.call('GET', `/campaigns/${body.id}/check?links=false`)).body;
      const wrong = /large|without_text|unsubscribe|unknown_tags|unusable|unsupported|style_sheet/;
      const codes = findings.map(({ code }: { code: string }) => code);
      expect([id, codes.filter((code: string) => wrong.test(code))]).toEqual([id, []]);
    }
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
