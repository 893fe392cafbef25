/**
 * Runs trials of a door in small groups, and checks after each group what it took: memory, and stored bytes in
 * proportion to the bytes that were sent. The target checks the event loop and the times of responses.
 */
import type { Exchange, Findings } from '../findings.ts';
import { isFailure } from '../http/check-answer.ts';
import { send, toExchange, type HttpRequest } from '../http/send.ts';
import type { Target } from '../target.ts';

export interface DoorTrial {
  exchange: Exchange;
  bytes: number;
  /** How many addresses it names. Each may have rows of its own, however small the request is. */
  addresses: number;
  run(target: Target): Promise<DoorAnswer | null>;
}

/** The status is that of HTTP, or 200 if a dialogue of another protocol ended as it should. */
interface DoorAnswer {
  status: number;
  retryAfter: string | null;
  text: string;
}

const MIB = 1024 * 1024;
export const MAX_MEMORY_BYTES = 256 * MIB;
export const MAX_STORED_FACTOR = 10;
/** The rows of a recipient with their indexes, and those of its events and webhook deliveries. */
export const ROWS_BYTES = 16 * 1024;
/** A response to a trial that is stored for its Idempotency-Key, and rows of objects without an address. */
const OBJECT_BYTES = 32 * 1024;
/** The files of PostgreSQL grow in steps, and other work of the server goes on. */
export const SLACK_BYTES = 4 * MIB;
const ANSWER_LIMIT_MS = 10_000;
const GROUP = 24;
const AT_ONCE = 3;

export async function runMeasured(
  target: Target,
  findings: Findings,
  trials: Iterable<() => DoorTrial>,
  endsAtMs: number,
): Promise<{ trials: number; statuses: Map<number, number> }> {
  const waiting = trials[Symbol.iterator]();
  const statuses = new Map<number, number>();
  let count = 0;

  async function work(group: DoorTrial[]): Promise<void> {
    for (let trial = group.shift(); trial; trial = group.shift()) {
      const answer = await trial.run(target);
      if (!answer) continue;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (isFailure(answer.status, answer.retryAfter))
        findings.add(`a ${answer.status}`, answer.text.slice(0, 300), [trial.exchange]);
    }
  }

  while (Date.now() < endsAtMs) {
    const group = takeGroup(waiting);
    if (group.length === 0) break;
    count += group.length;
    const before = { stored: target.storedBytes(), memory: target.startPeak() };
    const rest = [...group];
    await Promise.all(Array.from({ length: AT_ONCE }, () => work(rest)));
    judge(findings, group, target.storedBytes() - before.stored, target.peakBytes() - before.memory);
  }
  return { trials: count, statuses };
}

function takeGroup(waiting: Iterator<() => DoorTrial>): DoorTrial[] {
  const group: DoorTrial[] = [];
  let bytes = 0;
  while (group.length < GROUP && bytes < 4 * MIB) {
    const next = waiting.next();
    if (next.done) break;
    const trial = next.value();
    bytes += trial.bytes;
    group.push(trial);
  }
  return group;
}

function judge(findings: Findings, group: DoorTrial[], stored: number, memory: number): void {
  const sum = (each: (trial: DoorTrial) => number) => group.reduce((total, trial) => total + each(trial), 0);
  const bytes = sum((trial) => trial.bytes);
  const mayStore =
    MAX_STORED_FACTOR * bytes + sum((trial) => ROWS_BYTES * trial.addresses + OBJECT_BYTES) + SLACK_BYTES;
  const largest = group.toSorted((one, other) => other.bytes - one.bytes).map(({ exchange }) => exchange);
  if (memory > MAX_MEMORY_BYTES)
    findings.add('a few requests took over 256 MB', `${toMb(memory)} MB`, largest.slice(0, 5));
  if (stored > mayStore)
    findings.add(
      'a few requests stored over 10 times their bytes',
      `${toMb(stored)} MB of ${toMb(bytes)} MB`,
      largest.slice(0, 5),
    );
}

export function toMb(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

export function httpTrial(target: Target, request: HttpRequest): DoorTrial {
  return {
    exchange: toExchange(target, request),
    bytes: (request.body?.length ?? 0) + request.path.length,
    addresses: countAddresses(request.body),
    async run() {
      const answer = await send(target, request, ANSWER_LIMIT_MS);
      return answer && { ...answer, text: answer.body.subarray(0, 400).toString() };
    },
  };
}

function countAddresses(body: Buffer | null): number {
  if (body === null) return 0;
  let count = 0;
  for (const byte of body) if (byte === 0x40) count += 1;
  // A form writes @ as %40.
  return count + body.toString('latin1').split('%40').length - 1;
}
