import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../src/config.ts';
import { onClose } from './cleanup.ts';
import type { LimitOrder } from './limit-server.ts';

const PROGRAM = fileURLToPath(new URL('./limit-server.ts', import.meta.url));

/** Starts the limit program on this database, with as many connections as Posthorn has. Returns its port. */
export async function startLimit(databaseUrl: string, teamId: number): Promise<number> {
  const child = fork(PROGRAM, { execArgv: ['--import', import.meta.resolve('tsx')] });
  const exited = once(child, 'exit');
  onClose(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await exited;
  });
  const order: LimitOrder = { databaseUrl, teamId, connections: loadConfig({}).databaseConnections };
  child.send(order);
  const [reply] = (await Promise.race([once(child, 'message'), exited])) as [
    { port: number; error?: string },
  ];
  if (reply?.port === undefined) {
    throw new Error(`The limit program did not start: ${reply?.error ?? 'it ended by itself'}`);
  }
  return reply.port;
}
