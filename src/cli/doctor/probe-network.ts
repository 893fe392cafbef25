import { getServers } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer, isIP } from 'node:net';

const TIMEOUT_MS = 3_000;

export type PortProbe = 'free' | 'taken' | 'forbidden' | 'elsewhere';

export async function probePort(host: string, port: number): Promise<PortProbe> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host, port, exclusive: true }, resolve);
    });
    return 'free';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') return 'taken';
    // A running server may have opened a port below 1024 with a right that this user does not have.
    if (code === 'EACCES' || code === 'EPERM') return (await accepts(host, port)) ? 'taken' : 'forbidden';
    return 'elsewhere';
  } finally {
    server.close();
  }
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host: reachable(host), port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns an address at which a server that listens on `host` can be reached from this machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

export type PosthornProbe = 'healthy' | 'ill' | 'absent';

/** Checks whether a Posthorn server responds on the HTTP port. */
export async function probePosthorn(host: string, port: number): Promise<PosthornProbe> {
  const address = reachable(host);
  const url = `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    const body = (await response.json()) as { status?: unknown; error?: { code?: unknown } };
    if (response.ok && body.status === 'ok') return 'healthy';
    return body.error?.code === 'UNAVAILABLE' || body.error?.code === 'INTERNAL' ? 'ill' : 'absent';
  } catch {
    return 'absent';
  }
}

export interface DnsProbe {
  server: string;
  outcome: 'answers' | 'refuses' | 'silent';
}

/** "No such name" shows that the resolver works. */
const ANSWERS = ['ENOTFOUND', 'ENODATA'];
const REFUSALS = ['EREFUSED', 'ESERVFAIL', 'EFORMERR', 'ENOTIMP', 'EBADRESP'];

export async function probeDns(servers: string[] | null): Promise<DnsProbe[]> {
  return Promise.all((servers ?? getServers()).map(askResolver));
}

async function askResolver(server: string): Promise<DnsProbe> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  resolver.setServers([server]);
  const timer = setTimeout(() => resolver.cancel(), TIMEOUT_MS);
  try {
    await resolver.resolve4('example.com');
    return { server, outcome: 'answers' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (ANSWERS.includes(code)) return { server, outcome: 'answers' };
    return { server, outcome: REFUSALS.includes(code) ? 'refuses' : 'silent' };
  } finally {
    clearTimeout(timer);
  }
}
