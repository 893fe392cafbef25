/**
 * A separate process that requests /healthz and a path without a route every 50 ms, and reports slow responses to its
 * parent. The second needs no database, so it is late only if the event loop was blocked. It also measures how much
 * slower than idle the machine is, so that a busy machine does not count as a fault of the server.
 */
import { createHash } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readThreadMs } from './measure.ts';

export type HealthMessage =
  | {
      kind: 'health' | 'loop';
      status: number;
      fromMs: number;
      untilMs: number;
      /** The CPU time that the main thread of the server used meanwhile; NaN if it is not Linux. */
      cpuMs: number;
    }
  | { kind: 'load'; cpuMs: number; elapsedMs: number };

const POLL_MS = 50;
const MEASURE_EVERY_MS = 250;
const MEASURE_CPU_MICROS = 8_000;
const REPORT_OVER_MS = 190;

const origin = process.argv[2]!;
let serverPid = Number(process.argv[3]);
process.on('message', (pid: number) => (serverPid = pid));
process.on('disconnect', () => process.exit());

function tell(message: HealthMessage): void {
  process.send?.(message);
}

/** Returns the status; null if there was no response. The parent knows whether the server is dead. */
function ask(url: string, agent: Agent): Promise<number | null> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    }).on('error', () => resolve(null));
  });
}

async function poll(kind: 'health' | 'loop', path: string, expected: number): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const fromMs = Date.now();
    const cpuBefore = readThreadMs(serverPid);
    const status = await ask(origin + path, agent);
    const untilMs = Date.now();
    if (status !== null && (status !== expected || untilMs - fromMs > REPORT_OVER_MS))
      tell({ kind, status, fromMs, untilMs, cpuMs: readThreadMs(serverPid) - cpuBefore });
    await sleep(Math.max(1, POLL_MS - (untilMs - fromMs)));
  }
}

/** Measures the elapsed time and the CPU time of a short computation. */
function measureLoad(): void {
  const block = Buffer.alloc(16_384);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let usedMicros = 0;
  while (usedMicros < MEASURE_CPU_MICROS) {
    createHash('sha256').update(block).digest();
    const { user, system } = process.cpuUsage(cpu);
    usedMicros = user + system;
  }
  tell({ kind: 'load', cpuMs: usedMicros / 1000, elapsedMs: performance.now() - startedAt });
}

setInterval(measureLoad, MEASURE_EVERY_MS);
await Promise.all([poll('health', '/healthz', 200), poll('loop', '/api/none', 404)]);
