import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDomain } from '../../../testing/factories.ts';
import { createCall, shareTestServer, type TestServer, type TestTeam } from '../../../testing/test-server.ts';

let server: TestServer;
let team: TestTeam;
let domainId: number;

beforeAll(async () => {
  server = await shareTestServer();
  team = await server.createTeam();
  domainId = await addDomain(server.db, team.teamId, 'shop.test');
});
afterAll(() => server.close());

const INPUT = {
  name: 'Order',
  subject: 'Order {{number}}',
  html: '<p>Dear {{firstName,fallback=reader}}, see <a href="{{link}}">{{ link }}</a>.</p>',
};

async function addTemplate(input: object = INPUT) {
  const { status, body } = await team.call('POST', '/templates', input);
  expect([status, body]).toMatchObject([200, { id: expect.stringMatching(/^tpl_/) }]);
  return body;
}

function editorDocument(text: string) {
  return { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] };
}

function preview(body: object) {
  return team.call('POST', '/templates/preview', body);
}

describe('a template', () => {
  test('can be named by an alias, which is unique in its team', async () => {
    const own = await server.createTeam();
    const { body } = await own.call('POST', '/templates', { name: 'a', text: 'a', alias: 'order' });
    expect((await own.call('GET', '/templates/order')).body.id).toBe(body.id);
    const taken = await own.call('POST', '/templates', { name: 'b', text: 'b', alias: 'order' });
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    const { body: other } = await own.call('POST', '/templates', { name: 'b', text: 'b', alias: 'other' });
    expect((await own.call('PATCH', `/templates/${other.id}`, { alias: 'order' })).status).toBe(409);
    expect((await own.call('PATCH', '/templates/order', { alias: null })).body.alias).toBeNull();
    expect((await own.call('GET', '/templates/order')).status).toBe(404);
    const wrong = await own.call('POST', '/templates', { name: 'b', text: 'b', alias: 'tpl_x' });
    expect(wrong.status).toBe(400);
  });

  test('is previewed with its text part, from a document or from HTML', async () => {
    expect((await preview({ content: editorDocument('Hello {{name}}') })).body).toMatchObject({
      html: expect.stringContaining('Hello {{name}}'),
      text: 'Hello {{name}}',
    });
    const html = '<h1>Hello</h1><p>Read <a href="https://a.test/x">this</a></p>';
    const { body } = await preview({ html });
    expect(body).toEqual({ html, text: expect.stringMatching(/^Hello\n\nRead this.*https:\/\/a\.test\/x/) });
    expect((await preview({ html: '' })).body).toEqual({ html: '', text: '' });
    expect((await preview({})).status).toBe(400);
  });

  test('can be created, read, listed and deleted', async () => {
    const own = await server.createTeam();
    const { body: template } = await own.call('POST', '/templates', { ...INPUT, name: ' Order ' });
    expect(template).toEqual({
      ...INPUT,
      id: expect.any(String),
      alias: null,
      content: null,
      text: null,
      translations: null,
      variables: ['number', 'firstName', 'link'],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      contentSavedAt: template.createdAt,
    });
    expect((await own.call('GET', `/templates/${template.id}`)).body).toEqual(template);
    const { body: second } = await own.call('POST', '/templates', { name: 'Plain', text: 'Hi {{a}}' });
    expect(second).toMatchObject({ subject: null, html: null, text: 'Hi {{a}}', variables: ['a'] });
    const page = (await own.call('GET', '/templates?limit=1')).body;
    expect(page).toMatchObject({ items: [{ id: second.id, name: 'Plain' }], next_cursor: second.id });
    expect(Object.keys(page.items[0])).not.toContain('html');
    const next = (await own.call('GET', `/templates?cursor=${second.id}`)).body;
    expect(next).toMatchObject({
      items: [{ id: template.id, variables: template.variables }],
      next_cursor: null,
    });
    expect((await own.call('DELETE', `/templates/${template.id}`)).body).toEqual({
      id: template.id,
      success: true,
    });
    for (const method of ['GET', 'DELETE'])
      expect((await own.call(method, `/templates/${template.id}`)).status).toBe(404);
    expect((await own.call('PATCH', `/templates/${template.id}`, {})).status).toBe(404);
  });

  test.each([
    [{}],
    [{ name: 'x' }],
    [{ name: '', html: 'x' }],
    [{ name: 'x', html: '' }],
    [{ name: 'x', html: 7 }],
    [{ name: 'x', html: 'x'.repeat(500_001) }],
    [{ name: 'x', subject: 'x'.repeat(999), html: 'x' }],
    [{ name: 'x', content: '{"type":"paragraph"}' }],
    [{ name: 'x', content: 'no JSON' }],
    [{ name: 'x', content: [] }],
  ])('is not %j', async (input) => {
    expect((await team.call('POST', '/templates', input)).status).toBe(400);
  });

  test('gets its html from the editor document', async () => {
    const made = await addTemplate({ name: 'Made', content: editorDocument('Hi {{a}} <b>') });
    expect(made.content).toBe(JSON.stringify(editorDocument('Hi {{a}} <b>')));
    expect(made.html).toContain('>Hi {{a}} &lt;b&gt;</p>');
    expect(made.variables).toEqual(['a']);
    const path = `/templates/${made.id}`;
    const again = (await team.call('PATCH', path, { content: JSON.stringify(editorDocument('Bye {{b}}')) }))
      .body;
    expect(again).toMatchObject({ html: expect.stringContaining('>Bye {{b}}</p>'), variables: ['b'] });
    const dropped = (await team.call('PATCH', path, { content: null })).body;
    expect(dropped).toMatchObject({ content: null, html: again.html });
    const both = { html: '<p>Own</p>', content: editorDocument('Other') };
    expect((await team.call('PATCH', path, both)).body).toMatchObject({
      html: '<p>Own</p>',
      content: JSON.stringify(editorDocument('Other')),
    });
    expect((await team.call('PATCH', path, { html: '<p>{{c}}</p>' })).body).toMatchObject({
      html: '<p>{{c}}</p>',
      content: null,
      variables: ['c'],
    });
    const odd = '{"type":"doc","content":[{"type":"text","text":"a\\u0000\\ud800"}]}';
    expect((await team.call('PATCH', path, { content: odd })).body.html).toContain('a\ufffd');
  });

  test('changes only the named fields, and must keep some content', async () => {
    const template = await addTemplate({ ...INPUT, text: 'Hi {{t}}' });
    const path = `/templates/${template.id}`;
    expect((await team.call('PATCH', path, {})).body).toEqual(template);
    const changed = (await team.call('PATCH', path, { name: 'New', subject: null, text: null })).body;
    expect(changed).toMatchObject({ name: 'New', subject: null, text: null, html: INPUT.html });
    expect(changed.variables).toEqual(['firstName', 'link']);
    expect((await team.call('PATCH', path, { html: null })).status).toBe(400);
    expect((await team.call('PATCH', path, { name: null })).status).toBe(400);
    expect((await team.call('GET', path)).body).toEqual(changed);
  });

  test('is not overwritten by a change that is based on older content', async () => {
    const template = await addTemplate();
    const path = `/templates/${template.id}`;
    const basedOn = template.contentSavedAt;
    const renamed = (await team.call('PATCH', path, { name: 'New', basedOn })).body;
    expect(renamed).toMatchObject({ name: 'New', contentSavedAt: basedOn });
    const first = await team.call('PATCH', path, { html: '<p>First</p>', basedOn });
    expect([first.status, first.body.html]).toEqual([200, '<p>First</p>']);
    const late = await team.call('PATCH', path, { name: 'Late', html: '<p>Late</p>', basedOn });
    expect([late.status, late.body.error.message]).toEqual([
      409,
      expect.stringMatching(/changed in the meantime/),
    ]);
    expect((await team.call('GET', path)).body).toEqual(first.body);
    const next = { html: '<p>Next</p>', basedOn: first.body.contentSavedAt };
    expect((await team.call('PATCH', path, next)).status).toBe(200);
    expect((await team.call('PATCH', path, { html: '<p>Whatever</p>' })).status).toBe(200);
  });

  test('is accessible only to its team and to keys with full access', async () => {
    const { id } = await addTemplate();
    const other = await server.createTeam();
    for (const method of ['GET', 'DELETE'])
      expect((await other.call(method, `/templates/${id}`)).status).toBe(404);
    expect((await other.call('PATCH', `/templates/${id}`, { name: 'X' })).status).toBe(404);
    expect((await other.call('GET', '/templates')).body.items).toEqual([]);
    for (const key of [{ permission: 'sending' }, { permission: 'full', domainId }]) {
      const { body } = await team.call('POST', '/api-keys', { name: 'K', ...key });
      expect((await createCall(server.url, body.key)('GET', '/templates')).status).toBe(403);
    }
  });
});

describe('an email from a template', () => {
  const EMAIL = { from: 'Shop <hello@shop.test>', to: 'ada@example.org' };

  async function send(email: object) {
    const { status, body } = await team.call('POST', '/emails', { ...EMAIL, ...email });
    expect([status, body]).toEqual([200, { emailId: expect.any(String) }]);
    return (await team.call('GET', `/emails/${body.emailId}`)).body;
  }

  test('has its content, with the variables escaped in HTML and plain elsewhere', async () => {
    const { id: templateId } = await addTemplate({
      ...INPUT,
      text: 'Dear {{firstName,fallback=reader}} ({{vip}})',
    });
    const variables = { number: 7, firstName: 'Ada <"&', link: 'https://x.example/?a=1&b=2', vip: true };
    const email = await send({ templateId, variables });
    expect(email.subject).toBe('Order 7');
    expect(email.html.trim()).toBe(
      '<p>Dear Ada &lt;&quot;&amp;, see <a href="https://x.example/?a=1&amp;b=2">https://x.example/?a=1&amp;b=2</a>.</p>',
    );
    expect(email.text.trim()).toBe('Dear Ada <"& (true)');
  });

  test('has each variable encoded for its context, and no unsafe link', async () => {
    const { id: templateId } = await addTemplate({
      name: 'Places',
      subject: 'S',
      html:
        '<a href="https://a.example/?n={{name}}" title="{{name}}" style="color:{{style}}">{{contact.name}}</a>' +
        '<a href="{{bad}}">x</a><img src="{{bad}}"><a href="{{link}}/x">y</a>',
    });
    const variables = {
      name: 'Ada & "Co"',
      style: 'red;background:url(https://evil.example)',
      bad: 'javascript:alert(1)',
      link: 'https://a.example/?a=1&b=2',
    };
    expect((await send({ templateId, variables })).html.trim()).toBe(
      '<a href="https://a.example/?n=Ada%20%26%20%22Co%22" title="Ada &amp; &quot;Co&quot;" style="color:">Ada &amp; &quot;Co&quot;</a>' +
        '<a href="">x</a><img src=""><a href="https://a.example/?a=1&amp;b=2/x">y</a>',
    );
  });

  test('has the fallback or nothing for a missing variable', async () => {
    const { id: templateId } = await addTemplate();
    const email = await send({ templateId, variables: { number: null, other: 'x' } });
    expect(email.subject).toBe('Order');
    expect(email.html.trim()).toBe('<p>Dear reader, see <a href=""></a>.</p>');
    expect(email.text.trim()).toBe('Dear reader, see .');
    expect((await send({ templateId })).html.trim()).toBe(email.html.trim());
  });

  test('may have its own subject, and no subject can inject a header', async () => {
    const { id: templateId } = await addTemplate();
    expect(
      (await send({ templateId, subject: 'Mine, {{firstName}}', variables: { firstName: 'Ada' } })).subject,
    ).toBe('Mine, Ada');
    const smuggled = await send({ templateId, variables: { number: '7\r\nBcc: eve@example.org' } });
    expect(smuggled.subject).toBe('Order 7 Bcc: eve@example.org');
    expect(smuggled.bcc).toEqual([]);
  });

  test('keeps its content when the template is changed or deleted', async () => {
    const { id: templateId } = await addTemplate({ name: 'T', subject: 'S', text: 'Before' });
    const email = await send({ templateId, scheduledAt: '2099-01-01T00:00:00Z' });
    await team.call('PATCH', `/templates/${templateId}`, { text: 'After' });
    await team.call('DELETE', `/templates/${templateId}`);
    expect((await team.call('GET', `/emails/${email.id}`)).body.text.trim()).toBe('Before');
  });

  test('can be part of a batch, which is all or nothing', async () => {
    const { id: templateId } = await addTemplate();
    const plain = { ...EMAIL, subject: 'Plain', text: 'x' };
    const sent = await team.call('POST', '/emails/batch', [
      plain,
      { ...EMAIL, templateId, variables: { number: 1 } },
    ]);
    const { emailId } = sent.body.data[1];
    expect((await team.call('GET', `/emails/${emailId}`)).body.subject).toBe('Order 1');
    const before = (await team.call('GET', '/emails?limit=1')).body.items[0].id;
    const bad = await team.call('POST', '/emails/batch', [plain, { ...EMAIL, templateId: 'tpl_none' }]);
    expect(bad.status).toBe(404);
    expect((await team.call('GET', '/emails?limit=1')).body.items[0].id).toBe(before);
  });

  test('can be sent with a key that is bound to its domain', async () => {
    const { id: templateId } = await addTemplate();
    const { body } = await team.call('POST', '/api-keys', { name: 'K', permission: 'sending', domainId });
    const call = createCall(server.url, body.key);
    expect((await call('POST', '/emails', { ...EMAIL, templateId })).status).toBe(200);
    const elsewhere = { ...EMAIL, from: 'a@elsewhere.test', templateId: 'tpl_none' };
    expect((await call('POST', '/emails', elsewhere)).status).toBe(403);
  });

  const status = async (email: object) => (await team.call('POST', '/emails', { ...EMAIL, ...email })).status;

  test('is validated in the same order as other emails', async () => {
    const { id: templateId } = await addTemplate();
    const other = await server.createTeam();
    const foreign = (await other.call('POST', '/templates', INPUT)).body.id;
    expect(await status({ templateId: foreign })).toBe(404);
    expect(await status({ templateId: 'tpl_none' })).toBe(404);
    expect(await status({ templateId: 'tpl_none', from: 'a@unverified.test' })).toBe(404);
    expect(await status({ templateId, from: 'a@unverified.test' })).toBe(400);
    expect(await status({ templateId: 'tpl_none', html: 'x' })).toBe(400);
    expect(await status({ templateId, text: 'x' })).toBe(400);
    expect(await status({ templateId, html: null, text: null })).toBe(200);
    const deep = JSON.parse('['.repeat(12) + ']'.repeat(12));
    expect(await status({ templateId, variables: { a: deep } })).toBe(400);
    expect(await status({ templateId, variables: 'x' })).toBe(400);
    expect(await status({ templateId, variables: { number: 'x'.repeat(1000) } })).toBe(400);
    const { id: nameless } = await addTemplate({ name: 'T', html: 'x' });
    expect(await status({ templateId: nameless })).toBe(400);
    expect(await status({ templateId: nameless, subject: 'Mine' })).toBe(200);
    const { id: empty } = await addTemplate({ name: 'T', subject: 'S', content: { type: 'doc' } });
    expect(await status({ templateId: empty })).toBe(400);
  });

  test('cannot exceed the limits of an email', async () => {
    const { id: templateId } = await addTemplate({ name: 'T', subject: 'S', html: '{{x}}'.repeat(1_000) });
    const { status, body } = await team.call('POST', '/emails', {
      ...EMAIL,
      templateId,
      variables: { x: '<'.repeat(100_000) },
    });
    expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
  });
});
