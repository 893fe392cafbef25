/** Runs Posthorn in a process of its own, as a user starts it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { createClosingCall, type Call } from '../src/testing/test-server.ts';

const PROGRAM = fileURLToPath(new URL('../bin/posthorn.js', import.meta.url));

export interface RunningProgram {
  process: ChildProcess;
  url: string;
  stdout(): string;
  stderr(): string;
  isAlive(): boolean;
  /** Calls the API, optionally with a key. Closes the connection, because an open one would delay a stop. */
  call(key?: string): Call;
  /** Resolves when GET /healthz is 200. */
  ready(): Promise<void>;
  /** Pauses the process for this time, like a machine in standby. */
  freeze(forMs: number): Promise<void>;
  /** Sends the signal and waits for the exit. The code is null if a signal ended the process. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

export async function startProgram(
  dataDir: string,
  env: Record<string, string> = {},
  args: string[] = [],
  program = PROGRAM,
): Promise<RunningProgram> {
  const [port, smtpPort, submissionPort] = await freePorts(3);
  const child = spawn(process.execPath, [program, 'serve', ...args], {
    // The process has its own process group, so that a test can signal the whole group as a terminal does.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: String(port),
      SMTP_PORT: String(smtpPort),
      SUBMISSION_PORT: String(submissionPort),
      ...env,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'exit');
  const screen = new Promise<void>((resolve) => {
    child.stdout.on('data', () => stdout.includes('Posthorn is running') && resolve());
  });
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const url = `http://127.0.0.1:${env.PORT ?? port}`;
  return {
    process: child,
    url,
    stdout: () => stdout,
    stderr: () => stderr,
    isAlive,
    call: (key) => createClosingCall(url, key),
    async ready() {
      // Asking from the start would take some of the CPU time that the start needs.
      await Promise.race([screen, ended]);
      while (isAlive()) {
        const answer = await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).catch(() => null);
        if (answer?.status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`Posthorn ended instead of starting:\n${stdout}\n${stderr}`);
    },
    async freeze(forMs) {
      process.kill(child.pid!, 'SIGSTOP');
      await sleep(forMs);
      process.kill(child.pid!, 'SIGCONT');
    },
    async stop(signal) {
      const startedAt = performance.now();
      process.kill(child.pid!, signal);
      await ended;
      return { code: child.exitCode, ms: performance.now() - startedAt };
    },
  };
}
