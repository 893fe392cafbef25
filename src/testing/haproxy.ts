/** Runs Debian's HAProxy with the configuration that docs/scaling.md shows. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';
import { createClosingCall } from './test-server.ts';

const PROGRAM = '/usr/sbin/haproxy';
const PAGE = new URL('../../docs/scaling.md', import.meta.url);

export const hasHaproxy = existsSync(PROGRAM);

interface Haproxy {
  url: string;
  close(): Promise<void>;
}

/** `cells` are the addresses of the backends `one` and `two`. */
export async function startHaproxy(
  folder: string,
  map: string,
  cells: { one: string; two: string },
): Promise<Haproxy> {
  const [port] = await freePorts(1);
  const mapFile = join(folder, 'keys.map');
  const configFile = join(folder, 'haproxy.cfg');
  writeFileSync(mapFile, map);
  const [, shown] = /```haproxy\n([^`]*(?:`[^`]+`[^`]*)*)```/.exec(readFileSync(PAGE, 'utf8'))!;
  const config = shown!
    .replace(':443 ssl crt /etc/haproxy/cert.pem', `127.0.0.1:${port}`)
    .replace('/etc/haproxy/posthorn-keys.map', mapFile)
    .replace('10.0.1.1:3000', cells.one)
    .replace('10.0.2.1:3000', cells.two);
  writeFileSync(configFile, config);
  const child = spawn(PROGRAM, ['-db', '-f', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = once(child, 'exit');
  while (!(await isOpen(port!))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}

/** Returns the responses of `GET /team` with these keys and of `/healthz`, and closes the proxy. */
export async function askForTeam(proxy: Haproxy, keys: (string | undefined)[]): Promise<unknown[]> {
  const headers = { connection: 'close' };
  try {
    const answers: unknown[] = [];
    for (const key of keys) {
      const { status, body } = await createClosingCall(proxy.url, key)('GET', '/team');
      answers.push([status, body.error?.message.includes('two.example') ?? false]);
    }
    answers.push((await fetch(`${proxy.url}/healthz`, { headers })).status);
    return answers;
  } finally {
    await proxy.close();
  }
}
