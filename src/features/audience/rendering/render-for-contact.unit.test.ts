import { expect, test } from 'vitest';
import { compileForContacts } from './render-for-contact.ts';

const CONTENT = { teamId: 1, previewText: null, content: null, plain: null };
const CONTACT = { email: 'ada@example.org', firstName: 'Ada', lastName: null, properties: { plan: 'pro' } };

test('content is rendered with the values of the contact and further values', async () => {
  const render = await compileForContacts(
    {
      ...CONTENT,
      subject: '{{event.name}}\r\nfor {{firstName}}',
      html: '<p>{% if plan == "pro" and event.paid %}{% for item in event.items %}<b>{{item.title}}</b>{% endfor %}{% endif %} {{step.first.code}} {{event.__proto__.x}}</p><a href="{{unsubscribeUrl}}">x</a>',
    },
    { unsubscribe: 'added' },
  );
  const rendered = render!(CONTACT, {
    event: { name: 'Order', paid: true, items: [{ title: '<One>' }, { title: '{{email}}' }] },
    step: { first: { code: 7 } },
    unsubscribeUrl: 'https://post.test/u/1',
  });
  expect(rendered.subject).toBe('Order for Ada');
  expect(rendered.html).toContain('<b>&lt;One&gt;</b><b>{{email}}</b> 7 </p>');
  expect(rendered.html).toContain('<a href="https://post.test/u/1">');
  expect(rendered.html).not.toContain('Unsubscribe');
  expect(rendered.text).toContain('<One>{{email}} 7');
});

test('only marketing gets an unsubscribe link', async () => {
  const content = { ...CONTENT, subject: 'x', html: '<p>Hello</p>' };
  const marketing = await compileForContacts(content, { unsubscribe: 'added' });
  expect(marketing!(CONTACT, { unsubscribeUrl: 'https://post.test/u/1' }).html).toContain('post.test/u/1');
  const other = await compileForContacts({ ...content, plain: 'Hi' }, { unsubscribe: 'as written' });
  expect(other!(CONTACT, {})).toEqual({ subject: 'x', html: '<p>Hello</p>', text: 'Hi' });
});
