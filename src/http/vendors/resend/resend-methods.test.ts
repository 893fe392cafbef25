/** Calls every method of the published SDK, and compares the answers with the table in docs/moving/resend.md. */
import { readFileSync } from 'node:fs';
import { Resend } from 'resend';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await shareTestServer();
});
afterEach(() => void vi.unstubAllGlobals());
afterAll(() => server.close());

/** Methods that the SDK itself calls. */
const INTERNAL =
  /\.(buildCreateFormData|buildColumnMap|appendField|forwardPassthrough|forwardWrapped|downloadRaw|performCreate)$/;
const LOCAL = 'webhooks.verify';

type Method = (...args: unknown[]) => PromiseLike<unknown>;

function findMethods(part: object, path = ''): [string, Method][] {
  const inner = Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    const isPart = typeof value === 'object' && value !== null && name !== 'resend' && name !== 'headers';
    return isPart ? findMethods(value, path === '' ? name : `${path}.${name}`) : [];
  });
  if (path === '') return inner;
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter(
    (name) => name !== 'constructor',
  );
  return [
    ...inner,
    ...names.map((name): [string, Method] => {
      const method = (part as Record<string, Method>)[name]!;
      return [`${path}.${name}`, (...args) => method.apply(part, args)];
    }),
  ];
}

/** Is an id where the SDK puts it into a path, and an object with every field that the SDK reads. */
const anything = Object.assign(Object.create({ toString: () => 'x' }) as object, {
  id: 'x',
  // A list for `emails.metrics`, and an id in a path.
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

function readTable(): Map<string, string> {
  const page = readFileSync(new URL('../../../../docs/moving/resend.md', import.meta.url), 'utf8');
  const rows = page.split('\n').flatMap((line) => /^\| (`.*`) +\| (works|501) +\|$/.exec(line) ?? []);
  const table = new Map<string, string>();
  for (let at = 0; at < rows.length; at += 3)
    for (const [, name] of rows[at + 1]!.matchAll(/`([^`]+)`/g)) table.set(name!, rows[at + 2]!);
  return table;
}

test('every method of the SDK is answered as the table in the documentation says', async () => {
  const team = await server.createTeam();
  const resend = new Resend(team.key, { baseUrl: `${server.url}/resend` });
  const realFetch = fetch;
  const answers: { status: number; body: { message?: string } }[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const response = await realFetch(url, init);
    answers.push({ status: response.status, body: (await response.clone().json()) as { message?: string } });
    return response;
  });
  const states = new Map<string, string>([[LOCAL, 'works']]);
  for (const [name, method] of findMethods(resend)) {
    if (INTERNAL.test(name) || name === LOCAL) continue;
    answers.length = 0;
    await method(name.startsWith('batch.') ? [] : anything, anything);
    expect(answers, name).not.toEqual([]);
    const { status, body } = answers[0]!;
    expect(`${status} ${body.message ?? ''}`, name).not.toMatch(/^(404 No such path|405|5(?!01))/);
    states.set(name, status === 501 ? '501' : 'works');
  }
  expect(Object.fromEntries(states)).toEqual(Object.fromEntries(readTable()));
});
