/**
 * Finds free ports. They are below those that the system gives to outgoing connections (32768 and above on Linux),
 * because such a connection could take a port before its server has started. All are kept open until the last one is
 * found, so that they differ.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const LOWEST = 12_000;
const HIGHEST = 32_000;

export async function freePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>();
  while (found.size < count) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false);
    if (isFree) found.set(port, server);
  }
  await Promise.all([...found.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  return [...found.keys()];
}
