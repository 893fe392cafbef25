/**
 * Calls every method of the vendors' published SDKs, and writes docs/moving/sdk-methods.md from the responses. After a
 * change, `npx vitest run src/http/vendors/sdk-methods.test.ts --update` writes the page again.
 */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../../testing/servers/recording-proxy.ts';
import {
  connectMailgun,
  connectPostmark,
  connectResend,
  connectSendgrid,
} from '../../testing/clients/vendor-clients.ts';
import { shareTestServer, type TestServer, type TestTeam } from '../../testing/test-server.ts';

let server: TestServer;
let proxy: RecordingProxy;
let team: TestTeam;

beforeAll(async () => {
  server = await shareTestServer();
  proxy = await startRecordingProxy(server.url);
  team = await server.createTeam();
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  proxy.close();
  await server.close();
});

type Method = (...args: unknown[]) => unknown;

/** Methods that work differently than at the vendor. The pages of the vendors have the details. */
const DIFFERS: Record<string, string> = {
  'resend.automations.create': '`contact_delete`, filter segments and resubscribing are refused',
  'resend.audiences.create': 'an audience is a segment of the oldest contact book',
  'resend.contactProperties.create': 'a variable of the contact book; its id is its key',
  'resend.contacts.imports.create': '`skip`, segments and topics are refused',
  'resend.emails.metrics': 'counts whole days; some metrics are refused',
  'resend.inboxes.create': 'a mailbox; `forwarding` is refused',
  'resend.templates.publish': 'a template is published from the start',
  'mailgun.messages.create': '`amp-html` and options of IP addresses are refused',
  'mailgun.domains.create': '`smtp_password` is refused: an API key is the password',
  'mailgun.events.get': 'events are kept for `EVENT_DAYS`',
  'mailgun.suppressions.create': 'a suppression holds for the whole team',
  'postmark.getServer': 'shows the team',
  'sendgrid.mail.send': 'all personalizations are sent or none',
};

/** Functions of the SDKs that make no request themselves. `clearMessagesQueue` calls a host of Mailgun. */
const INTERNAL =
  /^_|^(parse|prepare|convert|handle|build|append|perform|process|validateQuery|isValid|getModel|createWhiteList|createUnsubscribe|checkAndUpdateData|updateUrlAndQuery|requestListWithPages|forwardPassthrough|forwardWrapped|downloadRaw|setDefaultPaginationValues|verifyToken|getComposedHttpRequestHeaders|[gs]etClientOptions|arrayOrString|clearMessagesQueue$)|Handler$/;
/** Parts of the SDKs that are not groups of methods. */
const INTERNAL_PARTS = new Set([
  'resend',
  'headers',
  'request',
  'logger',
  'models',
  'allowedKeysAF',
  'attachmentsHandler',
  'client',
]);

function findMethods(part: object, path: string): [string, Method][] {
  const inner = Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !INTERNAL_PARTS.has(name)
      ? findMethods(value, `${path}.${name}`)
      : [],
  );
  return [...inner, ...ownMethods(part, path)];
}

function ownMethods(part: object, path: string): [string, Method][] {
  const names = new Set<string>();
  for (
    let level = part;
    level !== Object.prototype && level !== null;
    level = Object.getPrototypeOf(level) as object
  ) {
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
  }
  const methods = part as Record<string, Method | undefined>;
  return [...names]
    .filter((name) => name !== 'constructor' && !INTERNAL.test(name) && typeof methods[name] === 'function')
    .map((name) => [`${path}.${name}`, (...args) => methods[name]!(...args)]);
}

/** Works as an ID where an SDK puts it into a path, and as an object with every field that the SDKs read. */
const anything = Object.assign(Object.create({ toString: () => 'x' }) as object, {
  id: 'x',
  // This is a list for `emails.metrics`, and an ID in a path.
  emailId: ['x'],
  webhookId: 'x',
  eventId: 'x',
  contactId: 'x',
  inboxId: 'x',
  steps: [],
  connections: [],
  topics: [],
  type: 'sent',
});

interface Outcome {
  name: string;
  result: string;
}

/** Calls each method with the first list of arguments with which the SDK makes a request. */
async function callAll(methods: [string, Method][], args: unknown[][]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const problems: string[] = [];
  for (const [name, method] of methods) {
    const { answer, thrown } = await callOnce(method, args);
    if (!answer) {
      problems.push(`${name} made no request: ${String(thrown)}`);
      continue;
    }
    const { status, body, path } = answer;
    if (/^(404.*No such path|405|5(?!01))/.test(`${status} ${body}`))
      problems.push(`${name} ${answer.method} ${path}: ${status} ${body}`);
    const result = status === 501 ? '501' : DIFFERS[name] ? `differs: ${DIFFERS[name]}` : 'works';
    outcomes.push({ name: name.slice(name.indexOf('.') + 1), result });
  }
  expect(problems).toEqual([]);
  return outcomes.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Other tests check what the SDK makes of the response. */
async function callOnce(method: Method, lists: unknown[][]) {
  let thrown: unknown;
  for (const args of lists) {
    proxy.answers.length = 0;
    thrown = await Promise.resolve()
      .then(() => method(...args))
      .catch((error: unknown) => error);
    if (proxy.answers[0]) return { answer: proxy.answers[0], thrown };
  }
  return { answer: null, thrown };
}

async function callResend(): Promise<Outcome[]> {
  const resend = connectResend(proxy, team.key);
  const methods = Object.entries(resend).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'object' && part !== null && !INTERNAL_PARTS.has(name)
      ? findMethods(part, `resend.${name}`)
      : [],
  );
  const remote = methods.filter(([name]) => name !== 'resend.webhooks.verify');
  const outcomes = await callAll(remote, [
    [anything, anything],
    [[], anything],
  ]);
  return [...outcomes, { name: 'webhooks.verify', result: 'works' }];
}

async function callMailgun(): Promise<Outcome[]> {
  // The SDK warns about deprecated methods.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const client = connectMailgun(proxy, team.key);
  const methods = Object.entries(client).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'object' && part !== null && !INTERNAL_PARTS.has(name)
      ? findMethods(part, `mailgun.${name}`)
      : [],
  );
  return callAll(methods, [
    ['shop.test', 'open', {}],
    [],
    ['shop.test', '192.0.2.1'],
    [{ ai_insights: { enabled: true } }],
    [{ start: new Date(0) }],
    ['shop.test', 'bounces', 'a@example.com'],
    ['shop.test', 'x', 'x', {}],
    ['shop.test', MAILGUN_FIELDS],
    [MAILGUN_FIELDS],
    ['shop.test', 'x', MAILGUN_FIELDS],
  ]);
}

/** Fields without which the SDK makes no request. */
const MAILGUN_FIELDS = {
  address: 'a@example.com',
  name: 'x',
  ip: '192.0.2.1',
  pool_id: 'x',
  start: new Date(0),
  end: new Date(0),
  filter: {},
  file: Buffer.from('x'),
  members: [],
  web_prefix: 'x',
};

async function callPostmark(): Promise<Outcome[]> {
  const client = connectPostmark(proxy, team.key);
  // If a method has fewer arguments, the SDK treats the last one as a callback, and would fail outside of the call.
  Object.assign(client, { processCallbackRequest: () => {} });
  return callAll(ownMethods(client, 'postmark'), [['x', {}], [{}]]);
}

async function callSendgrid(): Promise<Outcome[]> {
  const { mail } = connectSendgrid(proxy, team.key);
  const email = { from: 'a@shop.test', to: 'b@example.com', subject: 'Hi', text: 'Hi' };
  const methods: [string, Method][] = [
    ['sendgrid.mail.send', () => mail.send(email)],
    ['sendgrid.mail.sendMultiple', () => mail.sendMultiple(email)],
  ];
  return callAll(methods, [[]]);
}

function toPage(sections: [title: string, outcomes: Outcome[]][]): string {
  const text = sections.map(([title, outcomes]) => {
    const rows = outcomes.map(({ name, result }) => `| \`${name}\` | ${result} |`);
    const count = (result: string) => outcomes.filter((one) => one.result.startsWith(result)).length;
    const summary = `${count('works')} methods work, ${count('differs')} differ, ${count('501')} are not supported.`;
    return `## ${title}\n\n${summary}\n\n| method | answer |\n| --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# The methods of the SDKs

What Posthorn answers to each method of the vendors' SDKs. "501" means that Posthorn doesn't support it.

Generated from the answers in \`src/http/vendors/sdk-methods.test.ts\`.

${text.join('\n')}`;
}

test('every method of the SDKs is answered as the documentation says', async () => {
  const page = toPage([
    ['Resend: `resend` 6.37', await callResend()],
    ['Mailgun: `mailgun.js` 14', await callMailgun()],
    ['Postmark: `postmark` 5', await callPostmark()],
    ['SendGrid: `@sendgrid/mail` 8', await callSendgrid()],
  ]);
  await expect(page).toMatchFileSnapshot('../../../docs/moving/sdk-methods.md');
});
