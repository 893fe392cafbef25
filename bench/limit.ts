import { loadConfig } from '../src/config.ts';
import { forkProgram } from './forked.ts';
import type { LimitOrder } from './limit-server.ts';

/** Starts the limit program on this database, with as many connections as Posthorn has. Returns its port. */
export async function startLimit(databaseUrl: string, teamId: number): Promise<number> {
  const order: LimitOrder = { databaseUrl, teamId, connections: loadConfig({}).databaseConnections };
  const { port } = await forkProgram(new URL('./limit-server.ts', import.meta.url)).ask<{ port: number }>(
    order,
  );
  return port;
}
