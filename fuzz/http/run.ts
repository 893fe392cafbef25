/** Calls every operation of the OpenAPI document with valid, then mutated, then oversized requests. */
import type { Findings } from '../findings.ts';
import { createRandom, shuffle, type Random } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { createCheck } from './check-answer.ts';
import { readDocument } from './document.ts';
import { findOperation, readOperations, type FuzzedOperation } from './operations.ts';
import { oversizedBodies } from './oversized.ts';
import { makeMutated, makeOversized, makeValid } from './requests.ts';
import { send, toExchange, type HttpRequest } from './send.ts';
import { learn } from './valid.ts';
import { walk } from './walk.ts';

export interface HttpPlan {
  seed: string;
  /** The number per operation. */
  validRequests: number;
  mutatedRequests: number;
  /** The total number. Requests that once stopped the server come first. */
  oversizedRequests: number;
  endsAtMs: number;
}

export interface HttpReport {
  requests: number;
  planned: number;
  operations: number;
  /** Operations that never returned 200, so fuzzing does not reach the code after their checks. */
  neverDone: string[];
}

const AT_ONCE = 8;
const OVERSIZED_AT_ONCE = 2;

export async function fuzzHttp(
  target: Target,
  world: World,
  findings: Findings,
  plan: HttpPlan,
): Promise<HttpReport> {
  const document = await readDocument(target);
  const operations = readOperations(document);
  const check = createCheck(document);
  const done = new Set<string>();
  let requests = 0;

  async function run(operation: FuzzedOperation, request: HttpRequest): Promise<void> {
    requests += 1;
    const answer = await send(target, request);
    if (!answer) return;
    for (const { fault, detail } of check(operation, answer))
      findings.add(fault, detail, [toExchange(target, request)]);
    if (answer.status !== 200) return;
    done.add(operation.id);
    if (answer.contentType.startsWith('application/json'))
      learn(operation, JSON.parse(answer.body.toString()), world);
  }

  function checkMadeCalls(): void {
    for (const { method, path, answer } of world.madeCalls) {
      const operation = findOperation(operations, method, path);
      done.add(operation.id);
      const exchange = { name: `${method} ${path}`, group: operation.id };
      for (const { fault, detail } of check(operation, answer)) findings.add(fault, detail, [exchange]);
    }
  }

  const everyOperation = (times: number, make: (operation: FuzzedOperation, random: Random) => HttpRequest) =>
    Array.from({ length: times }, (_, round) =>
      // Deletions come last in a round, when there are objects to delete.
      operations
        .toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'))
        .map((operation) => () => {
          const random = createRandom(`${plan.seed} ${make.name} ${operation.id} ${round}`);
          return run(operation, make(operation, random));
        }),
    ).flat();

  const valid = (operation: FuzzedOperation, random: Random) => makeValid(operation, world, random);
  const mutated = (operation: FuzzedOperation, random: Random) => makeMutated(operation, world, random);
  const oversized = chooseOversized(operations, createRandom(`${plan.seed} oversized`))
    .slice(0, plan.oversizedRequests)
    .map(({ operation, body }) => () => {
      const random = createRandom(`${plan.seed} ${operation.id} ${body.name}`);
      return run(operation, makeOversized(operation, body, world, random));
    });

  await walk(target, world);
  checkMadeCalls();
  const halfTimeMs = (Date.now() + plan.endsAtMs) / 2;
  const small = [
    ...everyOperation(plan.validRequests, valid),
    ...everyOperation(plan.mutatedRequests, mutated),
  ];
  await inParallel(small, AT_ONCE, halfTimeMs);
  await inParallel(oversized, OVERSIZED_AT_ONCE, plan.endsAtMs);
  const neverDone = operations.map(({ id }) => id).filter((id) => !done.has(id));
  const planned = small.length + oversized.length;
  return { requests, planned, operations: operations.length, neverDone };
}

/** Starts with the requests of FIRST, then uses the order of the seed. */
function chooseOversized(operations: FuzzedOperation[], random: Random) {
  const all = operations
    .filter((operation) => operation.body)
    .flatMap((operation) => oversizedBodies(operation).map((body) => ({ operation, body })));
  const first = (entry: (typeof all)[number]) => FIRST.includes(`${entry.operation.id} ${entry.body.name}`);
  return [
    ...all.filter(first),
    ...shuffle(
      all.filter((entry) => !first(entry)),
      random,
    ),
  ];
}

/** Requests that once stopped a server. */
const FIRST = [
  'sendEmail from: 4,000 spaces and an x',
  'sendEmail to: zeros up to the limit',
  'sendEmail html: links',
  'sendEmail text: words',
  'sendEmails to: 150,000 zeros',
  'createContacts a list of zeros',
  'createContacts properties: many keys',
  'createSegment filter: conditions',
  'createContactBook doubleOptInFrom: 4,000 spaces and an x',
  'createCampaign html: merge tags',
];

async function inParallel(work: (() => Promise<void>)[], atOnce: number, endsAtMs: number): Promise<void> {
  const waiting = work.values();
  let isStopped = false;
  const workers = Array.from({ length: atOnce }, async () => {
    for (const run of waiting) {
      if (isStopped || Date.now() > endsAtMs) return;
      try {
        await run();
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  });
  await Promise.all(workers);
}
