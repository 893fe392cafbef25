/**
 * The server under test: the built server as a process with an empty data folder, on loopback. Every running exchange
 * is recorded here, so that a stall or a crash can be reported together with its possible causes.
 */
import { execFile, fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startProgram, type RunningProgram } from '../e2e/running.ts';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { startDnsServer } from '../src/testing/dns-server.ts';
import type { Exchange, Findings } from './findings.ts';
import { readMemory, sizeOfFolder, startPeak } from './measure.ts';
import { createMachineLoad } from './machine-load.ts';
import type { HealthMessage } from './watch-health.ts';

export interface Target {
  url: string;
  key: string;
  setupToken: string;
  inboundPort: number;
  submissionPort: number;
  imapPort: number;
  /** Starts to check the event loop and /healthz. The first requests after a start may be slow. */
  watch(): void;
  /**
   * Runs one exchange and checks its time, that it got a response, and that the process survived. Returns null if it
   * got none, which is recorded as a finding.
   */
  observe<Result>(exchange: Exchange, limitMs: number, run: () => Promise<Result>): Promise<Result | null>;
  /** The size of the tables and indexes of the database. */
  storedBytes(): number;
  /** Returns the memory of the process now, from which `peakBytes` counts the largest. Always 0 if it is not Linux. */
  startPeak(): number;
  peakBytes(): number;
  /** Runs a command of the operator beside the running server, and returns its output. */
  operate(...args: string[]): Promise<string>;
  /** The largest slowdown of the machine, compared with an idle one. */
  worstSlowdown(): number;
  close(): Promise<void>;
}

interface Noted {
  exchange: Exchange;
  fromMs: number;
  untilMs: number;
}

const runFile = promisify(execFile);
const MAX_RESTARTS = 5;
/** Above this slowdown the machine is too busy to check time limits. */
const MAX_SLOWDOWN = 20;
const KEPT_EXCHANGES = 500;

/** The longest times on an idle machine: of /healthz, and for which one piece of work may block the event loop. */
interface TargetLimits {
  healthMs: number;
  loopMs: number;
}

export async function startTarget(findings: Findings, limits: TargetLimits): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-fuzz-'));
  const key = `fuzz-${randomBytes(24).toString('hex')}`;
  const [port, inboundPort, submissionPort, imapPort] = (await freePorts(4)) as [
    number,
    number,
    number,
    number,
  ];
  // A resolver that knows no names, so that invented names are not looked up on the network.
  const dns = await startDnsServer();
  const env = {
    PORT: String(port),
    SMTP_PORT: String(inboundPort),
    SUBMISSION_PORT: String(submissionPort),
    IMAP_PORT: String(imapPort),
    BOOTSTRAP_API_KEY: key,
    DNS_SERVERS: dns.address,
    LOG_LEVEL: 'error',
  };
  let program = await startProgram(dataDir, env);
  // The server runs in a process group of its own, which Ctrl-C does not reach.
  const interrupt = () => void close().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  let watcher: ChildProcess | null = null;
  let restarts = 0;
  let restarting: Promise<void> | null = null;
  let readLogLength = 0;
  const running = new Set<Noted>();
  const recent: Noted[] = [];
  const load = createMachineLoad();

  async function ready(): Promise<void> {
    await program.ready();
    while (!program.stdout().includes('Ctrl-C')) await sleep(20);
  }

  /** Adjusts a time limit to the current load of the machine; no limit if it is too busy. */
  function limitNow(limitMs: number): number {
    return load.slowdown() > MAX_SLOWDOWN ? Infinity : limitMs * load.slowdown();
  }

  function judgeHealth(message: HealthMessage): void {
    if (message.kind === 'load') return load.note(message.cpuMs, message.elapsedMs);
    const { kind, status, fromMs, untilMs, cpuMs } = message;
    const causes = [...recent, ...running]
      .filter((noted) => noted.fromMs < untilMs && noted.untilMs > fromMs)
      .toSorted((one, other) => duration(other) - duration(one))
      .map(({ exchange }) => exchange)
      .slice(0, 3);
    const ms = untilMs - fromMs;
    if (kind === 'loop') {
      // A server that waits for a busy machine uses little CPU time. A blocked event loop uses all of it.
      if (ms > limitNow(limits.loopMs) && cpuMs > limits.loopMs)
        findings.add(`the event loop was blocked for over ${limits.loopMs} ms`, `${ms} ms`, causes);
      return;
    }
    // It gives up when the database is slow, which only the time can judge on a busy machine.
    const gaveUp = status === 503 && ms > limits.healthMs;
    if (status !== 200 && !gaveUp)
      findings.add(`/healthz responded with ${status}`, `after ${ms} ms`, causes);
    if (ms > limitNow(limits.healthMs))
      findings.add(`/healthz took over ${limits.healthMs} ms`, `${ms} ms`, causes);
  }

  /** Reports that the process has died, and starts it again on the same data. */
  async function restart(causes: Exchange[]): Promise<void> {
    const words = program.stderr().slice(-1500);
    const { exitCode, signalCode } = program.process;
    findings.add('the process ended', `exit ${exitCode ?? signalCode}\n${words}`, causes);
    restarts += 1;
    if (restarts > MAX_RESTARTS) throw new Error('The process ends repeatedly, so the run stops here.');
    program = await startProgram(dataDir, env);
    readLogLength = 0;
    watcher?.send(program.process.pid!);
    await ready();
  }

  /** Returns whether the process is alive. Starts a dead process again. */
  async function survived(): Promise<boolean> {
    if (restarting === null && program.isAlive()) return true;
    const causes = [...running].map(({ exchange }) => exchange).slice(0, 5);
    restarting ??= restart(causes).finally(() => {
      restarting = null;
    });
    await restarting;
    return false;
  }

  function readErrors(exchange: Exchange): void {
    const log = program.stderr();
    if (log.length === readLogLength) return;
    const lines = log.slice(readLogLength).trim();
    readLogLength = log.length;
    if (lines !== '') findings.add('an error was logged', lines.slice(0, 600), [exchange]);
  }

  async function close(): Promise<void> {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    watcher?.kill('SIGKILL');
    await stop(program, dataDir, findings);
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }

  await ready();

  function watch(): void {
    watcher = fork(new URL('watch-health.ts', import.meta.url), [program.url, String(program.process.pid)], {
      execArgv: ['--import', import.meta.resolve('tsx')],
    });
    watcher.on('message', judgeHealth);
  }

  return {
    url: program.url,
    key,
    setupToken: /\/setup\?token=(\w+)/.exec(program.stdout())![1]!,
    inboundPort,
    submissionPort,
    imapPort,
    watch,
    async observe(exchange, limitMs, run) {
      await restarting;
      const noted: Noted = { exchange, fromMs: Date.now(), untilMs: Infinity };
      running.add(noted);
      try {
        const result = await run();
        noted.untilMs = Date.now();
        if (!(await survived())) return null;
        if (duration(noted) > limitNow(limitMs))
          findings.add(`a response took over ${limitMs} ms`, `${duration(noted)} ms`, [exchange]);
        return result;
      } catch (error) {
        noted.untilMs = Date.now();
        // The exit of the process is noticed a moment after its connections close.
        await sleep(100);
        if (await survived()) findings.add('no answer', String(error), [exchange]);
        return null;
      } finally {
        running.delete(noted);
        recent.push(noted);
        if (recent.length > KEPT_EXCHANGES) recent.shift();
        readErrors(exchange);
      }
    },
    storedBytes: () => sizeOfFolder(join(dataDir, 'postgres', 'base')),
    startPeak: () => startPeak(program.process.pid!),
    peakBytes: () => readMemory(program.process.pid!, 'VmHWM'),
    async operate(...args) {
      const environment = { PATH: process.env.PATH, DATA_DIR: dataDir, ...env };
      return (await runFile(process.execPath, ['bin/posthorn.js', ...args], { env: environment })).stdout;
    },
    worstSlowdown: load.worst,
    close,
  };
}

function duration({ fromMs, untilMs }: Noted): number {
  return Math.min(untilMs, Date.now()) - fromMs;
}

async function stop(program: RunningProgram, dataDir: string, findings: Findings): Promise<void> {
  if (program.isAlive()) {
    const lastResort = setTimeout(() => program.process.kill('SIGKILL'), 20_000);
    const { code, ms } = await program.stop('SIGTERM');
    clearTimeout(lastResort);
    if (code !== 0)
      findings.add('SIGTERM did not end the process cleanly', `exit ${code} after ${ms} ms`, []);
  }
  // A killed process leaves its PostgreSQL running.
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  while (existsSync(pidFile) && existsSync(`/proc/${pid}`)) await sleep(20);
}
