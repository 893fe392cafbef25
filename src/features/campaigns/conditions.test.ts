import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addBook,
  closeCampaignWorld,
  create,
  openCampaignWorld,
  sink,
  start,
  team,
  untilStatus,
} from '../../testing/fixtures/campaign-world.ts';

beforeAll(openCampaignWorld);
afterAll(closeCampaignWorld);
beforeEach(() => sink.reset());

const PEOPLE = [
  { email: 'pro@example.org', firstName: 'Ada', properties: { plan: 'pro', orders: 12 } },
  { email: 'free@example.org', firstName: 'Bob', properties: { plan: 'free<', orders: 1 } },
  { email: 'none@example.org' },
];
const CONTENT = {
  subject: '{% if plan == "pro" %}For pros{% elsif firstName %}For {{firstName}}{% else %}For all{% endif %}',
  previewText: '{% unless plan %}Choose a plan & save{% endunless %}',
  html:
    '<style>b{color:#ff0000}</style><table><tr>{% if orders > 10 %}<td><b>Thanks, {{firstName}}</b></td>' +
    '{% else %}<td>Order more, {{plan,fallback=stranger}}</td>{% endif %}</tr></table>' +
    '<a href="https://shop.test/{% if plan == "pro" %}pro{% else %}all{% endif %}">Shop</a>' +
    '<a href="https://shop.test/fixed">Fixed</a>' +
    '{% if plan %}<a href="{{unsubscribeUrl}}">Leave</a>{% endif %}',
};

async function received() {
  const messages = await Promise.all(
    sink.messages.map(async ({ recipients, data }) => ({
      ...(await PostalMime.parse(data)),
      to: recipients[0]!,
    })),
  );
  return new Map(messages.map((message) => [message.to, message]));
}

test('each recipient gets the branches whose conditions hold, in the subject, the HTML and the text', async () => {
  const book = await addBook(PEOPLE);
  const id = await create(book, CONTENT);
  await start(id);
  await untilStatus(id, 'SENT');
  const mail = await received();
  expect([...mail.values()].map(({ to, subject }) => `${to}: ${subject}`).toSorted()).toEqual([
    'free@example.org: For Bob',
    'none@example.org: For all',
    'pro@example.org: For pros',
  ]);
  const { html, text } = mail.get('pro@example.org')!;
  expect(html).toContain('>Thanks, Ada</b></td></tr></table>');
  expect(html).toContain('style="color: #ff0000');
  expect(html).toContain('href="https://shop.test/pro"');
  expect(text).toContain('Thanks, Ada');
  expect(text).toContain('https://shop.test/pro');
  expect(html + text!).not.toContain('{%');
  const other = mail.get('free@example.org')!;
  expect(other.html).toContain('<td>Order more, free&lt;</td>');
  expect(other.html).toContain('href="https://shop.test/all"');
  expect(other.text).toContain('Order more, free<');
  const stranger = mail.get('none@example.org')!;
  expect(stranger.html).toContain('Choose a plan &amp; save');
  expect(stranger.html).toContain('Order more, stranger');
  // The author's link is only for those with a plan.
  expect(stranger.html).toMatch(/>Unsubscribe</);
});

test('the preview, the test, the check and the email in the log show the same', async () => {
  const book = await addBook(PEOPLE);
  const id = await create(book, CONTENT);
  const { body: preview } = await team.call('POST', `/campaigns/${id}/preview`, { to: 'pro@example.org' });
  expect(preview.subject).toBe('For pros');
  expect(preview.html).toContain('Thanks, Ada');
  await team.call('POST', `/campaigns/${id}/test`, { to: ['free@example.org'] });
  await expect.poll(() => sink.messages.length).toBe(1);
  const [tested] = [...(await received()).values()];
  expect([tested!.subject, tested!.html]).toEqual([
    '[Test] For Bob',
    expect.stringContaining('Order more, free&lt;'),
  ]);
  const { body: check } = await team.call('GET', `/campaigns/${id}/check?links=false`);
  expect(check.findings.map(({ code }: { code: string }) => code)).not.toContain('foreign_tags');
  expect(check.ready).toBe(true);
  await start(id);
  await untilStatus(id, 'SENT');
  const { body: list } = await team.call('GET', `/emails?campaignId=${id}`);
  const subjects = list.items.map(({ subject }: { subject: string }) => subject);
  expect(subjects).toEqual(expect.arrayContaining(['For Bob', 'For all', 'For pros']));
});

test('content with a mistake is rejected with its line and column, and nothing changes', async () => {
  const book = await addBook(PEOPLE);
  const base = {
    name: 'x',
    from: 'News <hello@news.test>',
    contactBookId: book,
    subject: 'x',
    html: '<p>x</p>',
  };
  const cases: [object, string, string][] = [
    [{ html: '<p>\n{% if x %}</p>' }, '/html', 'line 2, column 1: {% if %} is not closed'],
    [{ subject: 'Hi {% assign a %}' }, '/subject', 'line 1, column 4: {% assign %} is not a known tag'],
    [{ previewText: '{% for x in y limit: 2000 %}{% endfor %}' }, '/previewText', 'at most 1000 items'],
    [{ text: 'a{% endif %}' }, '/text', 'line 1, column 2: {% endif %} has no beginning'],
    [
      { variants: [{ subject: '{% if %}' }, { subject: 'b' }] },
      '/variants/0/subject',
      'a condition is missing',
    ],
    [
      { html: null, content: { type: 'doc', content: [line('Hello'), line('so {% if x %}')] } },
      '/content',
      'line 2, column 4: {% if %} is not closed',
    ],
  ];
  const before = (await team.call('GET', '/campaigns')).body.campaigns.length;
  for (const [changes, path, message] of cases) {
    const { status, body } = await team.call('POST', '/campaigns', { ...base, ...changes });
    expect([status, body.error.issues]).toEqual([400, [{ path, message: expect.stringContaining(message) }]]);
  }
  const kept = await team.call('POST', '/campaigns', base);
  expect(kept.status).toBe(200);
  expect((await team.call('PATCH', `/campaigns/${kept.body.id}`, { html: '{% if' })).status).toBe(400);
  expect((await team.call('GET', `/campaigns/${kept.body.id}`)).body.html).toBe('<p>x</p>');
  expect((await team.call('GET', '/campaigns')).body.campaigns).toHaveLength(before + 1);
  const optIn = await team.call('PATCH', `/contactBooks/${book}`, { doubleOptInSubject: '{% if x %}' });
  expect(optIn.status).toBe(400);
});

function line(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}

test('a template reads lists and objects of the variables of an email', async () => {
  const { body: template } = await team.call('POST', '/templates', {
    name: 'Order',
    subject: '{% if order.paid == true %}Paid{% else %}Open{% endif %}',
    content: {
      type: 'doc',
      content: [
        line('{% for item in order.items limit: 2 %}'),
        line('{{item.name}}: {{item.price}}'),
        line('{% endfor %}'),
      ],
    },
  });
  expect(template.variables).toEqual(['order.paid', 'order.items']);
  expect(template.html).not.toContain('<p>{%');
  const items = [
    { name: '<Tea>', price: 4 },
    { name: '{{secret}}', price: 2 },
    { name: 'Milk', price: 1 },
  ];
  const { body, status } = await team.call('POST', '/emails', {
    from: 'hello@news.test',
    to: 'x@example.org',
    templateId: template.id,
    variables: { order: { paid: true, items }, secret: 'no' },
  });
  expect([status, body]).toMatchObject([200, {}]);
  const { body: email } = await team.call('GET', `/emails/${body.emailId}`);
  expect(email.subject).toBe('Paid');
  expect(email.html).toContain('&lt;Tea&gt;: 4');
  expect(email.html).toContain('{{secret}}: 2');
  expect(email.html).not.toContain('Milk');
});
