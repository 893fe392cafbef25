import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  letterTo,
  openCampaignWorld,
  sink,
  start,
  team,
  untilStatus,
  visit,
} from '../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

const PEOPLE = [
  { email: 'exact@example.org', firstName: 'Ada', properties: { language: 'de-AT' } },
  { email: 'base@example.org', firstName: 'Bob', properties: { Language: 'DE_ch' } },
  { email: 'other@example.org', firstName: 'Cyd', properties: { language: 'fr' } },
  { email: 'broken@example.org', firstName: 'Dan', properties: { language: 'not a tag' } },
  { email: 'none@example.org', firstName: 'Eve' },
];
const TRANSLATIONS = {
  de: { subject: 'Hallo {{firstName}}', previewText: 'Neu', html: '<p>Guten Tag {{firstName}}</p>' },
  'de-at': { subject: 'Servus {{firstName}}', html: '<p>Servus <a href="https://shop.test/">Laden</a></p>' },
};

async function subjects(): Promise<Record<string, string>> {
  const each = sink.messages.map(async ({ recipients, data }) => [
    recipients[0]!,
    (await PostalMime.parse(data)).subject,
  ]);
  return Object.fromEntries(await Promise.all(each));
}

test('each contact gets the translation for their language, its base, or the default', async () => {
  const book = await addBook(PEOPLE);
  const id = await create(book, { translations: TRANSLATIONS, tracking: { opens: true, clicks: true } });
  const stored = (await team.call('GET', `/campaigns/${id}`)).body.translations;
  expect(Object.keys(stored).toSorted()).toEqual(['de', 'de-AT']);
  expect(stored.de).toEqual({ ...TRANSLATIONS.de, content: null });
  const { body: check } = await team.call('GET', `/campaigns/${id}/check?links=false`);
  expect(check.findings.find(({ code }: { code: string }) => code === 'missing_translations').places).toEqual(
    ['fr'],
  );
  await start(id);
  await untilStatus(id, 'SENT');
  expect(await subjects()).toEqual({
    'exact@example.org': 'Servus Ada',
    'base@example.org': 'Hallo Bob',
    'other@example.org': 'Hello Cyd',
    'broken@example.org': 'Hello Dan',
    'none@example.org': 'Hello Eve',
  });
  const base = await PostalMime.parse(
    sink.messages.find(({ recipients }) => recipients[0] === 'base@example.org')!.data,
  );
  expect(base.html).toContain('Guten Tag Bob');
  expect(base.html).toContain('Neu');
  expect(base.text).toContain('Guten Tag Bob');
  await visit((await letterTo('exact@example.org')).clicks[0]!);
  await expect
    .poll(async () => (await team.call('GET', `/campaigns/${id}/report`)).body.languages)
    .toEqual([
      { language: null, sent: 3, opened: 0, clicked: 0, unsubscribed: 0 },
      expect.objectContaining({ language: expect.stringMatching(/^de/), sent: 1 }),
      expect.objectContaining({ language: expect.stringMatching(/^de/), sent: 1 }),
    ]);
  await expect
    .poll(async () => {
      const { languages } = (await team.call('GET', `/campaigns/${id}/report`)).body;
      return languages.find(({ language }: { language: string }) => language === 'de-AT').clicked;
    })
    .toBe(1);
  const { body: log } = await team.call('GET', `/emails?campaignId=${id}`);
  expect(log.items.map(({ subject }: { subject: string }) => subject)).toContain('Servus Ada');
});

test('the preview and the test render a language, and versions keep translations', async () => {
  const book = await addBook(PEOPLE);
  const id = await create(book, { translations: TRANSLATIONS });
  const preview = (body: object) => team.call('POST', `/campaigns/${id}/preview`, body);
  expect((await preview({ to: 'base@example.org' })).body.subject).toBe('Hallo Bob');
  expect((await preview({ to: 'base@example.org', language: 'fr' })).body.subject).toBe('Hello Bob');
  expect((await preview({ to: 'none@example.org', language: 'de-AT' })).body.subject).toBe('Servus Eve');
  expect((await preview({ language: 'not a tag' })).status).toBe(400);
  await team.call('POST', `/campaigns/${id}/test`, { to: ['exact@example.org'] });
  await expect.poll(() => sink.messages.length).toBe(1);
  expect(Object.values(await subjects())).toEqual(['[Test] Servus Ada']);

  await team.call('PATCH', `/campaigns/${id}`, { translations: null, keepVersion: true });
  expect((await team.call('GET', `/campaigns/${id}`)).body.translations).toBeNull();
  const { body: versions } = await team.call('GET', `/campaigns/${id}/versions`);
  const version = versions.items[0].id;
  const { body: kept } = await team.call('GET', `/campaigns/${id}/versions/${version}`);
  expect(Object.keys(kept.translations).toSorted()).toEqual(['de', 'de-AT']);
  await team.call('POST', `/campaigns/${id}/versions/${version}/restore`);
  expect((await team.call('GET', `/campaigns/${id}`)).body.translations.de.subject).toBe(
    'Hallo {{firstName}}',
  );
});

test('bad tags, too many languages and mistakes in a translation are rejected', async () => {
  const book = await addBook([]);
  const de = TRANSLATIONS.de;
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`de-x-a${at}`, de]));
  const cases: [object, string][] = [
    [{ 'not a tag': de }, '/translations/not a tag'],
    [{ d: de }, '/translations/d'],
    [{ de_AT: de }, '/translations/de_AT'],
    [{ 'de-at': de, 'de-AT': de }, '/translations/de-AT'],
    [{ de: { subject: 'x' } }, '/translations/de/html'],
    [{ de: { html: '<p>x</p>' } }, '/translations/de/subject'],
    [{ de: { subject: '{% if %}', html: 'x' } }, '/translations/de/subject'],
    [many, '/translations'],
  ];
  for (const [translations, path] of cases) {
    const { status, body } = await team.call('POST', '/campaigns', {
      name: 'x',
      from: 'hello@news.test',
      subject: 'x',
      html: 'x',
      contactBookId: book,
      translations,
    });
    expect([status, body.error.issues?.[0]?.path]).toEqual([400, path]);
  }
});

test('an email from a template gets the language of its variables', async () => {
  const { body: template } = await team.call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome',
    html: '<p>Welcome {{name}}</p>',
    text: 'Welcome {{name}}',
    translations: { de: { subject: 'Willkommen', html: '<p>Willkommen {{name}}</p>' } },
  });
  expect(template.translations.de.subject).toBe('Willkommen');
  const { body } = await team.call('POST', '/emails/batch', [
    {
      from: 'hello@news.test',
      to: 'a@example.org',
      templateId: template.id,
      variables: { language: 'de-AT', name: 'A' },
    },
    { from: 'hello@news.test', to: 'b@example.org', templateId: template.id, variables: { name: 'B' } },
  ]);
  const emails = await Promise.all(
    body.data.map(
      async ({ emailId }: { emailId: string }) => (await team.call('GET', `/emails/${emailId}`)).body,
    ),
  );
  expect(emails.map(({ subject, html }) => [subject, html])).toEqual([
    ['Willkommen', expect.stringContaining('Willkommen A')],
    ['Welcome', expect.stringContaining('Welcome B')],
  ]);
  const changed = await team.call('PATCH', `/templates/${template.id}`, { translations: null });
  expect(changed.body.translations).toBeNull();
  const { body: versions } = await team.call('GET', `/templates/${template.id}/versions`);
  await team.call('POST', `/templates/${template.id}/versions/${versions.items[0].id}/restore`);
  expect((await team.call('GET', `/templates/${template.id}`)).body.translations.de.subject).toBe(
    'Willkommen',
  );
});
