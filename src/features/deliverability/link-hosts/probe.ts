/**
 * The probe by which we find out whether a host leads to this instance, through whatever proxy is in front: a request
 * with a random number, whose answer only this instance can compute. The answer depends on the host that arrives, so a
 * proxy that changes it is noticed.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Dns } from '../../../mail/auth/dns.ts';
import { deriveKey } from '../../../platform/crypto.ts';
import { createConnector } from '../../instance/connector.ts';
import type { Facts } from '../../instance/facts.ts';
import { classifyNetworkError } from '../../instance/network-errors.ts';

export const PROBE_PATH = '/.well-known/posthorn-probe/';
const NONCE = /^[\w-]{22}$/;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER = 100;

/** Returns null for something that is not a probe. */
export function answerProbe(secret: Buffer, host: string, nonce: string): string | null {
  if (!NONCE.test(nonce)) return null;
  return createHmac('sha256', deriveKey(secret, 'link host probes'))
    .update(`${host.toLowerCase()}\n${nonce}`)
    .digest('base64url');
}

/** Returns what is wrong as a sentence; null if a request for the host arrives here. */
export async function findProbeFault(
  dns: Dns,
  { secret, baseUrl, directAllowPrivate }: Pick<Facts, 'secret' | 'baseUrl' | 'directAllowPrivate'>,
  host: string,
): Promise<string | null> {
  const { protocol, port } = new URL(baseUrl);
  const origin = `${protocol}//${host}${port ? `:${port}` : ''}`;
  const nonce = randomBytes(16).toString('base64url');
  const agent = new Agent({ connect: createConnector(dns, directAllowPrivate) });
  try {
    const { statusCode, body } = await request(`${origin}${PROBE_PATH}${nonce}`, {
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'user-agent': 'Posthorn' },
    });
    body.on('error', () => {});
    const answer = await readSome(body);
    if (answer === answerProbe(secret, host, nonce)) return null;
    return statusCode === 200
      ? `${origin} is answered by another server, or a proxy in front changes the host of requests.`
      : `${origin} answers with status ${statusCode}, so requests for it do not arrive here.`;
  } catch (error) {
    return `${origin} cannot be reached${REASONS[classifyNetworkError(error)] ?? ''}.`;
  } finally {
    await agent.destroy();
  }
}

const REASONS: Partial<Record<ReturnType<typeof classifyNetworkError>, string>> = {
  timeout: ': there was no response within 10 s',
  dns: ': it has no address',
  refused: ': the connection was refused',
  private_address: ': it does not have a public address',
  tls: ': it has no valid certificate',
};

async function readSome(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('latin1');
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}
