import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi, type TestContext } from 'vitest';
import { createTestDatabase } from '../src/testing/test-database.ts';
import { startProgram, type RunningProgram } from './running.ts';

/** A data folder for one test, and the processes that it starts there. Tests mostly wait, so they run concurrently. */
export interface Machine {
  dataDir: string;
  start(env?: Record<string, string>, args?: string[]): Promise<RunningProgram>;
  /** Returns the pid of the embedded server; null if it does not run. */
  databasePid(): number | null;
}

export function newMachine(onTestFinished: TestContext['onTestFinished']): Machine {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-e2e-'));
  const started: RunningProgram[] = [];
  const databasePid = (): number | null => findDatabasePid(dataDir);
  onTestFinished(async () => {
    for (const program of started) if (program.isAlive()) await program.stop('SIGKILL');
    const pid = databasePid();
    if (pid) process.kill(pid, 'SIGQUIT');
    await vi.waitUntil(() => databasePid() === null, { timeout: 30_000 });
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    databasePid,
    async start(env, args) {
      const program = await startProgram(dataDir, env, args);
      started.push(program);
      return program;
    },
  };
}

/** For tests that do not concern the embedded database, whose first start takes longer. Call it before newMachine. */
export async function newDatabase(onTestFinished: TestContext['onTestFinished']): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

function findDatabasePid(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) return null;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return pid > 0 && existsSync(`/proc/${pid}`) ? pid : null;
}

export function keyIn(screen: string): string {
  return /ph_[0-9a-z]{8}_[0-9a-z]{52}/.exec(screen)![0];
}

export function tokenIn(screen: string): string {
  return /\/setup\?token=([0-9a-z]{52})/.exec(screen)![1]!;
}
