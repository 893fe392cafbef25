import { getServers } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { createServer, isIP } from 'node:net';

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
    if (code === 'EACCES' || code === 'EPERM') return 'forbidden';
    return 'elsewhere';
  } finally {
    server.close();
  }
}

export type PosthornProbe = 'healthy' | 'ill' | 'absent';

/** Checks whether a Posthorn answers on the HTTP port. */
export async function probePosthorn(host: string, port: number): Promise<PosthornProbe> {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
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
  outcome: 'answers' | 'silent';
}

/** "No such name" counts as an answer of the resolver. */
const ANSWERS = ['ENOTFOUND', 'ENODATA'];

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
    const answered = ANSWERS.includes((error as NodeJS.ErrnoException).code ?? '');
    return { server, outcome: answered ? 'answers' : 'silent' };
  } finally {
    clearTimeout(timer);
  }
}
