/** Trials of JMAP: each method with plausible arguments, then with mutated and multiplied ones. */
import { METHODS } from '../../src/jmap/methods.ts';
import { CAPABILITIES } from '../../src/jmap/session.ts';
import { mutate, toJson } from '../http/hostile.ts';
import { createRandom, shuffle } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { httpTrial, type DoorTrial } from './measured.ts';

const MUTATED = 20;
const CALLS = 16;

interface Session {
  accountId: string;
  emailIds: string[];
  authorization: string;
}

export async function jmapTrials(
  target: Target,
  world: World,
  seed: string,
): Promise<Iterable<() => DoorTrial>> {
  const session = await openSession(target, world);
  const call = (name: string, group: string, methodCalls: unknown) => () =>
    httpTrial(target, {
      name: `JMAP ${name}`,
      group: `JMAP ${group}`,
      method: 'POST',
      base: '',
      path: '/jmap/api',
      headers: { authorization: session.authorization, 'content-type': 'application/json' },
      body: Buffer.from(toJson({ using: CAPABILITIES, methodCalls })),
    });
  const methods = Object.keys(METHODS).map((method) => ({ method, args: argumentsOf(method, session) }));
  const valid = methods.map(({ method, args }) => call(`${method}, valid`, method, [[method, args, 'c']]));
  const mutated = methods.flatMap(({ method, args }) =>
    Array.from({ length: MUTATED }, (_, no) => {
      const random = createRandom(`${seed} ${method} ${no}`);
      return call(`${method}, mutated ${no}`, method, [[method, mutate(args, random), 'c']]);
    }),
  );
  const repeated = methods.map(({ method, args }) =>
    call(
      `${method}, ${CALLS} times`,
      method,
      Array.from({ length: CALLS }, (_, no) => [method, args, `c${no}`]),
    ),
  );
  const random = createRandom(`${seed} jmap`);
  return [...valid, ...shuffle([...mutated, ...repeated, ...multiplying(session, call)], random)];
}

async function openSession(target: Target, world: World): Promise<Session> {
  const authorization = `Basic ${btoa(`${world.mailboxAddress}:${world.appPassword}`)}`;
  const read = async (path: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
    return (await (await fetch(target.url + path, init)).json()) as {
      accounts: object;
      methodResponses: [string, { ids: string[] }][];
    };
  };
  const accountId = Object.keys((await read('/.well-known/jmap')).accounts)[0]!;
  const query = ['Email/query', { accountId }, 'c'];
  const { methodResponses } = await read('/jmap/api', { using: CAPABILITIES, methodCalls: [query] });
  return { accountId, emailIds: methodResponses[0]![1].ids, authorization };
}

const email = (subject: string, value: string) => ({
  mailboxIds: { drafts: true },
  from: [{ email: 'support@fuzz.test' }],
  to: [{ name: 'Ada', email: 'ada@people.test' }],
  subject,
  bodyValues: { a: { value } },
  textBody: [{ partId: 'a', type: 'text/plain' }],
  keywords: { $draft: true },
});

function argumentsOf(method: string, { accountId, emailIds }: Session): Record<string, unknown> {
  const [kind, verb] = method.split('/');
  const ids = kind === 'Email' ? emailIds : null;
  const create = {
    Email: email('Hello', 'Hi'),
    Mailbox: { name: 'Folder', parentId: null },
    Identity: { name: 'Ada', email: 'support@fuzz.test' },
    EmailSubmission: { emailId: emailIds[0], identityId: 'x' },
  }[kind!];
  switch (verb) {
    case 'get':
      return { accountId, ids, ...(kind === 'Email' ? { fetchAllBodyValues: true } : {}) };
    case 'changes':
      return { accountId, sinceState: '0', maxChanges: 50 };
    case 'query':
      return {
        accountId,
        filter: kind === 'Email' ? { text: 'Hello' } : null,
        limit: 50,
        calculateTotal: true,
      };
    case 'queryChanges':
      return { accountId, sinceQueryState: '0', filter: null };
    case 'set':
      return { accountId, create: create ? { a: create } : {}, update: {}, destroy: [] };
    case 'parse':
      return { accountId, blobIds: emailIds };
    case 'import':
      return { accountId, emails: { a: { blobId: emailIds[0], mailboxIds: { inbox: true } } } };
    default:
      return { accountId, text: 'Hello' };
  }
}

const creates = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, no) => [`c${no}`, email(`Draft ${no}`, value)]));
const deep = (levels: number) => {
  let filter: object = { text: 'a' };
  for (let level = 0; level < levels; level += 1) filter = { operator: 'NOT', conditions: [filter] };
  return filter;
};
const wide = (count: number) => ({
  operator: 'OR',
  conditions: Array.from({ length: count }, (_, no) => ({ text: `word${no}` })),
});

/** Small requests that ask for much. */
function multiplying(
  { accountId, emailIds }: Session,
  call: (name: string, group: string, methodCalls: unknown) => () => DoorTrial,
): (() => DoorTrial)[] {
  const set = (create: object) => [['Email/set', { accountId, create }, 'c']];
  const query = (filter: object) => [['Email/query', { accountId, filter }, 'c']];
  const all = { accountId, fetchAllBodyValues: true };
  const back = { resultOf: 'c0', name: 'Email/get', path: '/list/*/threadId' };
  return [
    call('400 drafts', 'Email/set', set(creates(400, 'x'))),
    call('100 drafts of 20 kB', 'Email/set', set(creates(100, 'word '.repeat(4_000)))),
    call('a draft of 4 MB', 'Email/set', set(creates(1, 'word '.repeat(800_000)))),
    call('a filter of 5,000 levels', 'Email/query', query(deep(5_000))),
    call('a filter of 20,000 words', 'Email/query', query(wide(20_000))),
    call('one long word', 'Email/query', query({ text: 'a'.repeat(1_000_000) })),
    call('the same email 500 times', 'Email/get', [
      ['Email/get', { ...all, ids: Array.from({ length: 500 }, () => emailIds[0]) }, 'c'],
    ]),
    call('references to references', 'Thread/get', [
      ['Email/get', { ...all, ids: emailIds }, 'c0'],
      ...Array.from({ length: 15 }, (_, no) => ['Thread/get', { accountId, '#ids': back }, `c${no + 1}`]),
    ]),
    call('an echo of 4 MB', 'Core/echo', [['Core/echo', { text: 'x'.repeat(4_000_000) }, 'c']]),
    call('1,000 folders', 'Mailbox/set', [
      [
        'Mailbox/set',
        {
          accountId,
          create: Object.fromEntries(
            Array.from({ length: 1_000 }, (_, no) => [`f${no}`, { name: `F${no}`, parentId: null }]),
          ),
        },
        'c',
      ],
    ]),
  ];
}
