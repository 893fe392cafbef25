/**
 * Requests that are small and make much: merge tags, substitutions and recipient variables multiply text, and lists
 * multiply everything else. A request may be rejected, but it must keep to the limits of run.ts.
 */
import { DOMAIN, SENDER, type World } from '../world.ts';

export interface AmplifyingTrial {
  name: string;
  /** The path from the root of the server. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** How many emails the request asks for. Each has rows of its own, however small the request is. */
  recipients: number;
}

type Trial = Omit<AmplifyingTrial, 'headers' | 'body'> & { fields: unknown };

/** The trials of the templates need these. */
export interface TrialTemplates {
  /** Its HTML has 1,000 tags {{v}}. */
  tags: string;
  /** Its HTML has 400,000 characters and one tag {{v}}. */
  long: string;
  /** Its loops and conditions make nothing. They read `list` and {{v}}. */
  loops: string;
  /** The numbers of the same templates in Postmark's API. */
  tagsNumber: number;
}

export function amplifyingTrials(world: World, templates: TrialTemplates): AmplifyingTrial[] {
  const key = world.keys.sending;
  return [
    ...mailgunTrials().map((trial) => asForm(trial, `Basic ${btoa(`api:${key}`)}`)),
    ...sendgridTrials(templates).map((trial) => asJson(trial, { authorization: `Bearer ${key}` })),
    ...postmarkTrials(templates).map((trial) =>
      asJson(trial, { 'x-postmark-server-token': world.keys.full }),
    ),
    ...ownTrials(templates).map((trial) => asJson(trial, { authorization: `Bearer ${key}` })),
  ];
}

function asForm({ fields, ...trial }: Trial, authorization: string): AmplifyingTrial {
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  return { ...trial, headers, body: new URLSearchParams(fields as Record<string, string>).toString() };
}

function asJson({ fields, ...trial }: Trial, headers: Record<string, string>): AmplifyingTrial {
  return {
    ...trial,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  };
}

const repeat = (text: string, length: number) =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);
const addresses = (count: number) => Array.from({ length: count }, (_, no) => `r${no}@people.test`);

function batchOf(name: string, count: number, values: object, fields: object): Trial {
  return {
    name: `Mailgun, ${name}`,
    path: `/v3/${DOMAIN}/messages`,
    recipients: count,
    fields: {
      from: SENDER,
      to: addresses(count).join(','),
      subject: 'News',
      'recipient-variables': JSON.stringify(
        Object.fromEntries(addresses(count).map((each) => [each, values])),
      ),
      ...fields,
    },
  };
}

function mailgunTrials(): Trial[] {
  const labels = Array.from({ length: 50 }, (_, no) => [`v:l${no}`, repeat('label ', 900)]);
  const links = '<a href="http://x.test/">x</a>';
  return [
    batchOf(
      'a value 1,000 times for 300 recipients',
      300,
      { v: 'v'.repeat(900) },
      { html: '%recipient.v%'.repeat(1_000) },
    ),
    batchOf(
      'a newsletter for 1,000 recipients',
      1_000,
      { n: 'Ada' },
      { html: `%recipient.n%${repeat('Hello there. ', 100_000)}` },
    ),
    batchOf('tracked links for 300 recipients', 300, {}, { html: links.repeat(4_000), 'o:tracking': 'yes' }),
    batchOf('labels for 1,000 recipients', 1_000, {}, { text: 'x', ...Object.fromEntries(labels) }),
    batchOf(
      'a long header for 1,000 recipients',
      1_000,
      {},
      { text: 'x', 'h:X-Long': repeat('word ', 60_000) },
    ),
    batchOf(
      'a header of many places',
      1_000,
      { v: 'v'.repeat(100) },
      { text: 'x', 'h:X-Long': '%recipient.v%'.repeat(4_000) },
    ),
  ];
}

function mailOf(name: string, personalizations: object[], fields: object): Trial {
  return {
    name: `SendGrid, ${name}`,
    path: '/sendgrid/v3/mail/send',
    recipients: personalizations.length,
    fields: { from: { email: `news@${DOMAIN}` }, subject: 'News', personalizations, ...fields },
  };
}

const html = (value: string) => ({ content: [{ type: 'text/html', value }] });

function sendgridTrials({ tags, long }: TrialTemplates): Trial[] {
  const each = (count: number, own: (no: number) => object) =>
    addresses(count).map((email, no) => ({ to: [{ email }], ...own(no) }));
  return [
    mailOf(
      '2 MB of substitutions',
      each(1_000, () => ({ substitutions: { '-v-': 'v'.repeat(1_900) } })),
      html('-v-'.repeat(10_000)),
    ),
    mailOf(
      'two keys of 50 kB',
      each(1, () => ({ substitutions: { ['a'.repeat(50_000)]: 'x', ['b'.repeat(50_000)]: 'y' } })),
      html(repeat('ab', 400_000)),
    ),
    mailOf(
      'keys that nearly match',
      each(50, (no) => ({ substitutions: { [`${'a'.repeat(4_900)}b${no}`]: 'x', a: '1' } })),
      html('a'.repeat(9_000)),
    ),
    mailOf(
      'other keys for each recipient',
      each(200, (no) => ({ substitutions: { [`-${no}-`]: 'x' } })),
      html(repeat('many words and -1- ', 150_000)),
    ),
    mailOf(
      'custom_args for 1,000 recipients',
      each(1_000, () => ({})),
      {
        ...html('x'),
        custom_args: Object.fromEntries(
          Array.from({ length: 40 }, (_, no) => [`a${no}`, repeat('word ', 900)]),
        ),
      },
    ),
    mailOf(
      '1,000 replies-to for 1,000 recipients',
      each(1_000, () => ({})),
      {
        ...html('x'),
        reply_to_list: addresses(1_000).map((email) => ({ email })),
      },
    ),
    mailOf(
      'a template with 1,000 tags',
      each(1_000, () => ({ dynamic_template_data: { v: 'v'.repeat(400) } })),
      { template_id: tags },
    ),
    mailOf(
      'a long template',
      each(100, () => ({ dynamic_template_data: { v: 'v' } })),
      { template_id: long },
    ),
  ];
}

function postmarkTrials({ tagsNumber }: TrialTemplates): Trial[] {
  const model = { v: 'v'.repeat(400) };
  return [
    {
      name: 'Postmark, 500 emails of a template',
      path: '/postmark/email/batchWithTemplates',
      recipients: 500,
      fields: {
        Messages: addresses(500).map((To) => ({
          From: SENDER,
          To,
          TemplateId: tagsNumber,
          TemplateModel: model,
        })),
      },
    },
    {
      name: 'Postmark, a check of a template with one long value',
      path: '/postmark/templates/validate',
      recipients: 0,
      fields: {
        Subject: 'x',
        HtmlBody: '{{v}}'.repeat(50_000),
        TextBody: 'x',
        TestRenderModel: { v: '<'.repeat(500_000) },
      },
    },
  ];
}

/** A condition that nearly holds everywhere in a text of the letter a. */
export const NEARLY = `{% if v contains "${'a'.repeat(400)}b${'a'.repeat(400)}" %}{{v}}{% endif %}`;

function ownTrials({ tags, long, loops }: TrialTemplates): Trial[] {
  const batch = (name: string, email: (to: string) => object): Trial => ({
    name: `POST /emails/batch, ${name}`,
    path: '/api/v1/emails/batch',
    recipients: 100,
    fields: addresses(100).map((to) => ({ from: SENDER, to, ...email(to) })),
  });
  return [
    batch('a template with 1,000 tags', () => ({ templateId: tags, variables: { v: '<'.repeat(400) } })),
    {
      name: 'POST /emails, loops and conditions that make nothing',
      path: '/api/v1/emails',
      recipients: 1,
      fields: {
        from: SENDER,
        to: addresses(1),
        templateId: loops,
        variables: { list: Array.from({ length: 1_000 }, () => 1), v: 'a'.repeat(500_000) },
      },
    },
    batch('a long template', () => ({ templateId: long, variables: { v: 'x' } })),
    {
      name: 'POST /emails, metadata for 50 recipients',
      path: '/api/v1/emails',
      recipients: 50,
      fields: {
        from: SENDER,
        to: addresses(50),
        subject: 'x',
        html: '<a href="http://x.test">x</a>'.repeat(4_000),
        metadata: Object.fromEntries(
          Array.from({ length: 50 }, (_, no) => [`m${no}`, repeat('word ', 1_000)]),
        ),
      },
    },
    {
      name: 'Resend, 100 emails of a template',
      path: '/resend/emails/batch',
      recipients: 100,
      fields: addresses(100).map((to) => ({
        from: SENDER,
        to,
        template: { id: tags, variables: { v: 'v'.repeat(400) } },
      })),
    },
  ];
}
