/** The data of a small bookshop after a month. */
import type pg from 'pg';
import type { APIRequestContext } from 'playwright-core';
import { makePng } from '../../src/testing/images.ts';

export interface Shop {
  bookId: string;
  emailId: string;
  domainId: number;
  templateId: string;
  segmentId: string;
  webhookId: string;
  draftId: string;
  campaignId: string;
  formId: string;
  automationId: string;
  archivedId: string;
}

const NAMES = [
  'Grace Hopper',
  'Alan Turing',
  'Mary Shelley',
  'Emmy Noether',
  'Kurt Gödel',
  'Sofia Kovalevskaya',
];
const SUBJECTS = [
  'Your order is on its way',
  'Your receipt',
  'Reset your password',
  'Back in stock: Middlemarch',
];

/** `receiver` is the URL of a server that receives the webhooks. */
export async function fillShop(
  request: APIRequestContext,
  url: string,
  pool: pg.Pool,
  receiver: string,
): Promise<Shop> {
  const call = async (method: string, path: string, data?: unknown) => {
    const answer = await request.fetch(`/api/v1${path}`, { method, data, headers: { origin: url } });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const until = async (path: string, isDone: (body: Record<string, unknown>) => boolean) => {
    while (!isDone(await call('GET', path))) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  await call('PATCH', '/team', { name: 'Harbour Books' });
  const domain = await call('POST', '/domains', { name: 'harbour-books.test' });
  await call('PUT', `/domains/${domain.id}/verify`);
  await until(`/domains/${domain.id}`, ({ status }) => status === 'SUCCESS');
  await call('PATCH', `/domains/${domain.id}`, { openTracking: true, clickTracking: true });
  await call('POST', '/domains', { name: 'news.harbour-books.example' });

  await call('POST', '/suppressions', { email: 'gone@example.org' });
  await call('POST', '/suppressions', { email: 'no-more@example.org' });
  const from = 'Harbour Books <orders@harbour-books.test>';
  for (const [index, name] of [...NAMES, ...NAMES, ...NAMES].entries()) {
    const to = `${name} <${name.split(' ')[0]!.toLowerCase()}${index > 5 ? index : ''}@example.org>`;
    await call('POST', '/emails', { from, to, subject: SUBJECTS[index % 4], html: LETTER });
  }
  await call('POST', '/emails', { from, to: 'gone@example.org', subject: 'Your receipt', html: LETTER });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await call('POST', '/emails', {
    from,
    to: 'mary@example.org',
    subject: 'Tomorrow’s reading',
    html: LETTER,
    scheduledAt: tomorrow,
  });
  const { emailId } = await call('POST', '/emails', {
    from,
    to: 'Grace Hopper <grace@example.org>',
    subject: 'Your order is on its way',
    html: LETTER,
  });
  await until(`/emails/${emailId}`, ({ status }) => status === 'DELIVERED');

  const book = await call('POST', '/contactBooks', {
    name: 'Newsletter',
    emoji: '☕',
    variables: ['city', 'language'],
    archiveEnabled: true,
    archiveTitle: 'Letters from the harbour',
    archiveDescription: 'What came in this month, and what we read ourselves. On the first Monday, by Ada.',
  });
  await call('POST', '/contactBooks', { name: 'Reading club', emoji: '✉️', doubleOptInEnabled: true });
  const cities = ['London', 'Oslo', 'Lisbon', 'Ghent'];
  const people = Array.from({ length: 1200 }, (_, index) => {
    const [firstName, lastName] = NAMES[index % NAMES.length]!.split(' ');
    const email = addressOf(firstName!, index);
    return {
      email,
      firstName,
      lastName,
      properties: { city: cities[index % 4] },
      subscribed: index % 7 !== 3,
    };
  });
  await call('POST', `/contactBooks/${book.id}/contacts/bulk`, people);

  await call('POST', '/api-keys', { name: 'Website', permission: 'sending', domainId: domain.id });
  await call('POST', '/api-keys', { name: 'Back office', permission: 'full' });
  await call('POST', '/invitations', { email: 'charles@harbour-books.example', role: 'member' });
  const template = await call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome to Harbour Books, {{firstName,fallback=reader}}',
    content: WELCOME,
  });
  const segment = await call('POST', '/segments', {
    name: 'Readers in Oslo',
    contactBookId: book.id,
    filter: {
      all: [
        { field: 'properties.city', op: 'equals', value: 'Oslo' },
        { field: 'subscribed', op: 'equals', value: true },
        {
          any: [
            { field: 'firstName', op: 'startsWith', value: 'A' },
            { field: 'engagement.opened', op: 'equals', value: true },
          ],
        },
      ],
    },
  });
  await call('POST', '/topics', { name: 'Weekly news', description: 'What came in this week' });
  await call('POST', '/topics', {
    name: 'Readings',
    description: 'Evenings in the shop',
    defaultSubscription: 'opt_in',
  });
  const webhook = await call('POST', '/webhooks', {
    url: receiver,
    events: ['email.delivered', 'email.bounced', 'contact.unsubscribed'],
    description: 'Tells the back office',
  });
  await call('POST', `/webhooks/${webhook.id}/test`);
  const campaign = {
    from: 'Harbour Books <news@harbour-books.test>',
    contactBookId: book.id,
    content: WELCOME,
  };
  const hasEnded = async (id: string) => {
    await until(`/campaigns/${id}`, ({ status }) => status === 'SENT');
    await until(`/campaigns/${id}`, ({ opened }) => Number(opened) > 0);
  };
  const before = await call('POST', '/campaigns', {
    ...campaign,
    name: 'October news',
    subject: 'What came in this October',
    previewText: 'Autumn shelves, and the first reading of the season',
    showInArchive: true,
    segmentId: segment.id,
    sendNow: true,
  });
  await hasEnded(before.id);
  const sent = await call('POST', '/campaigns', {
    ...campaign,
    name: 'November news',
    subject: 'What came in this November',
    previewText: 'Two sea stories, and a chair by the window',
    content: NOVEMBER,
    showInArchive: true,
    sendNow: true,
  });
  await hasEnded(sent.id);
  await call('POST', '/campaigns', {
    ...campaign,
    name: 'Christmas',
    subject: 'What to read under the tree',
    scheduledAt: tomorrow,
  });
  const form = await call('POST', '/forms', {
    name: 'Shop window',
    contactBookId: book.id,
    fields: ['email', 'firstName'],
  });
  const automationId = await addAutomation(call, book.id);
  await addContent(call, request, url);
  const draft = await call('POST', '/campaigns', {
    ...campaign,
    name: 'Advent',
    subject: 'A book for each day, {{firstName,fallback=reader}}',
    previewText: 'Twenty-four of them, in fact',
  });
  await insertCounters(pool, domain.id);
  await spreadGrowth(pool);
  await makeRequests(call, url);
  await until(
    `/webhooks/${webhook.id}/calls?status=waiting`,
    ({ items }) => (items as unknown[]).length === 0,
  );
  await call('PATCH', `/webhooks/${webhook.id}`, { events: ['email.bounced', 'contact.unsubscribed'] });
  await pool.query('update webhooks set url = $1', ['https://harbour-books.example/hooks/mail']);
  return {
    bookId: book.id,
    emailId,
    domainId: domain.id,
    templateId: template.id,
    segmentId: segment.id,
    webhookId: webhook.id,
    draftId: draft.id,
    campaignId: sent.id,
    formId: form.id,
    automationId,
    archivedId: sent.id,
  };
}

type Call = (method: string, path: string, data?: unknown) => Promise<{ id: string }>;

async function addAutomation(call: Call, contactBookId: string): Promise<string> {
  const html = '<p>Dear {{firstName,fallback=reader}}, good to have you.</p>';
  const email = { type: 'email', html, from: 'Harbour Books <news@harbour-books.test>' };
  const { id } = await call('POST', '/automations', {
    name: 'Welcome aboard',
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      { key: 'hello', ...email, subject: 'Good to have you' },
      { key: 'pause', type: 'delay', for: '3 days' },
      {
        key: 'oslo',
        type: 'condition',
        where: { all: [{ field: 'properties.city', op: 'equals', value: 'Oslo' }] },
        next: { yes: 'invite', no: 'tips' },
      },
      { key: 'invite', ...email, subject: 'A reading near you', next: null },
      { key: 'tips', ...email, subject: 'Three books to begin with' },
    ],
  });
  await call('POST', `/automations/${id}/activate`);
  return id;
}

const COVERS: [red: number, green: number, blue: number][] = [
  [122, 59, 46],
  [29, 78, 95],
  [201, 151, 63],
  [63, 91, 58],
  [74, 63, 107],
  [138, 143, 152],
];

/** Templates and images, so that their pages show something to choose from. */
async function addContent(call: Call, request: APIRequestContext, url: string): Promise<void> {
  await call('POST', '/templates', {
    name: 'Order on its way',
    subject: 'Your order is on its way',
    html: LETTER,
  });
  await call('POST', '/templates', { name: 'New books', subject: 'New this week', content: NOVEMBER });
  for (const [no, colour] of COVERS.entries()) {
    const answer = await request.post('/api/v1/media', {
      data: makePng(480 + 60 * (no % 3), 320, colour),
      headers: { origin: url, 'content-type': 'image/png' },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  }
}

/**
 * Many of the first contacts are recipients that the sandbox simulates. The newest are not, because lists show them.
 */
function addressOf(firstName: string, index: number): string {
  if (index >= 1100 || index % 5 > 2) return `${firstName.toLowerCase()}.${index}@example.org`;
  const part = index === 35 || index === 605 ? 'bounce' : index % 5 === 0 ? 'click' : 'open';
  return `${part}+${firstName.toLowerCase()}${index}@simulator.test`;
}

/** Moves most of the contacts that were added today to the days before, as if a form and an import had brought them. */
async function spreadGrowth(pool: pg.Pool): Promise<void> {
  await pool.query(
    `with spread as (
       update contact_book_growth set joined = joined - 1160, subscribed = subscribed - 996
       where source = 'api' and joined > 1160 returning team_id, contact_book_id
     ), days as (
       select n, case when n = 22 then 500 else 17 + n % 5 + case when n % 7 = 2 then 14 else 0 end end as joined
       from generate_series(1, 29) as n
     )
     insert into contact_book_growth (team_id, contact_book_id, quarter, source, source_id, slot, joined, confirmed,
       returned, lost, subscribed, pending)
     select team_id, contact_book_id, date_trunc('day', now()) - make_interval(days => n) + interval '9 hours',
       case when n = 22 then 'import' when n % 3 = 0 then 'archive' else 'form' end, '', 0, joined, 0, 0, n % 4,
       joined - n % 4, 0
     from spread, days`,
  );
}

/** Requests of an API key, for the log of requests. */
async function makeRequests(call: Call, url: string): Promise<void> {
  const made = (await call('POST', '/api-keys', { name: 'Shop', permission: 'full' })) as { key?: string };
  const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' };
  const from = 'Harbour Books <orders@harbour-books.test>';
  const email = { from, to: 'grace@example.org', subject: 'Your receipt', text: 'Thank you.' };
  for (const body of [
    email,
    { ...email, to: 'nobody' },
    email,
    { ...email, from: 'shop@elsewhere.example' },
    email,
  ])
    await fetch(`${url}/api/v1/emails`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Inserts counters of past days, for the domain and for all domains (0), as if emails had been sent then. */
async function insertCounters(pool: pg.Pool, domainId: number): Promise<void> {
  await pool.query(
    `with days as (
       select n, (now() at time zone 'utc')::date - n as day,
         (420 + 260 * sin(n * 0.9) + 90 * cos(n * 2.3) + case when n % 7 = 2 then 900 else 0 end)::integer as sent
       from generate_series(1, 29) as n
     ), counts as (
       select domain_id, day, sent, sent - sent / 60 as delivered, sent * 4 / 10 as opened, sent / 8 as clicked,
         sent / 60 as bounced, sent / 90 as hard_bounced, sent / 1200 as complained
       from days, unnest(array[$1::integer, 0]) as domain_id
     ), by_day as (
       insert into daily_counts
         (team_id, domain_id, day, slot, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
       select 1, domain_id, day, 0, sent, delivered, opened, clicked, bounced, hard_bounced, complained from counts
     ), by_quarter as (
       insert into quarter_hour_counts
         (team_id, subject, domain_id, quarter, slot, sent, delivered, opened, clicked, bounced, hard_bounced,
           complained, open_tracked, open_tracked_opened, click_tracked, click_tracked_clicked)
       select 1, '', domain_id, (day + time '09:00') at time zone 'utc', 0, sent, delivered, opened, clicked, bounced,
         hard_bounced, complained, delivered, opened, delivered, clicked
       from counts
     )
     insert into total_counts
       (team_id, domain_id, slot, sent, delivered, opened, clicked, bounced, hard_bounced, complained)
     select 1, domain_id, -1, sum(sent), sum(delivered), sum(opened), sum(clicked), sum(bounced), sum(hard_bounced),
       sum(complained)
     from counts group by domain_id`,
    [domainId],
  );
}

const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });
const WELCOME = JSON.stringify({
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Good to have you' }] },
    paragraph('Dear {{firstName,fallback=reader}},'),
    paragraph('you will hear from us when new books come in, and never more than once a week.'),
    { type: 'button', attrs: { text: 'See what is new', url: 'https://harbour-books.example/new' } },
    paragraph('Harbour Books, 12 Quay Street'),
  ],
});

const NOVEMBER = JSON.stringify({
  type: 'doc',
  content: [
    paragraph('Dear {{firstName,fallback=reader}},'),
    paragraph(
      'November is a month for long books. Two of them came in last week, both about the sea, and we could not decide which one to put into the window.',
    ),
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'The Winter Crossing' }] },
    paragraph(
      'A mate, a cook and a stowaway, forty days without land. Read the first chapter by the stove: we have put a second chair there.',
    ),
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'Salt on the Page' }] },
    paragraph('Letters of three lighthouse keepers who never met. The translation is new, and very funny.'),
    { type: 'button', attrs: { text: 'See both books', url: 'https://harbour-books.example/new' } },
    paragraph('Until December,'),
    paragraph('Ada, Harbour Books, 12 Quay Street'),
  ],
});

const LETTER = `<div style="max-width:520px;margin:0 auto;font-family:Georgia,serif">
<h1 style="font-size:24px">It is on its way</h1>
<p>Dear Grace,</p>
<p>we have just handed <em>Middlemarch</em> to the post. It should reach you on Thursday.</p>
<p><a href="https://harbour-books.example/orders/1815" style="display:inline-block;padding:10px 18px;background:#875400;color:#fff;text-decoration:none;border-radius:6px">Follow your parcel</a></p>
<p style="color:#666">Harbour Books, 12 Quay Street</p></div>`;
