/**
 * An ACME server (RFC 8555) with renewal information (RFC 9773) over plain HTTP. It reads challenges as a real one does and
 * issues certificates that OpenSSL signs, but checks no signatures of requests.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Order {
  host: string;
  token: string;
  status: 'pending' | 'ready' | 'valid' | 'invalid';
  replaces: string | null;
  chain: string;
}

export interface AcmeServer {
  directoryUrl: string;
  /** The certificate of the authority, in PEM. */
  ca: string;
  /** In the order of their arrival. */
  orders: Order[];
  /** Hosts whose orders are rejected, and why. */
  rejected: Map<string, string>;
  /** The window for all certificates. Null: there is no renewal information. */
  window: { start: string; end: string } | null;
  /** The IDs of certificates whose window was asked for. */
  asked: string[];
  /** How often the directory was read. */
  directoryReads: number;
  close(): Promise<void>;
}

/** `challengePort` is where answers to challenges are read, on 127.0.0.1. */
export async function startAcmeServer(challengePort: number): Promise<AcmeServer> {
  const authority = createAuthority();
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: Error) => outgoing.writeHead(500).end(error.message));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: AcmeServer = {
    directoryUrl: `${url}/directory`,
    ca: authority.certificate,
    orders: [],
    rejected: new Map(),
    window: null,
    asked: [],
    directoryReads: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      authority.close();
    },
  };
  function place(payload: { identifiers: { value: string }[]; replaces?: string }): number {
    const host = payload.identifiers[0]!.value;
    const token = randomBytes(16).toString('base64url');
    return (
      state.orders.push({ host, token, status: 'pending', replaces: payload.replaces ?? null, chain: '' }) - 1
    );
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, what = '', id = ''] = incoming.url!.split('/');
    const payload = await readPayload(incoming);
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      const type = typeof body === 'string' ? 'application/pem-certificate-chain' : 'application/json';
      const nonce = randomBytes(8).toString('hex');
      outgoing.writeHead(status, { 'content-type': type, 'replay-nonce': nonce, ...headers });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    const order = state.orders[Number(id)];
    if (what === 'directory') return send(200, directoryOf(url, state));
    if (what === 'nonce') return send(200, {});
    if (what === 'account') return send(201, { status: 'valid' }, { location: `${url}/account/1` });
    if (what === 'renewal') {
      state.asked.push(id);
      return send(200, { suggestedWindow: state.window }, { 'retry-after': '3600' });
    }
    if (what === 'new-order') {
      const host = (payload as { identifiers: { value: string }[] }).identifiers[0]!.value;
      const detail = state.rejected.get(host);
      if (detail !== undefined)
        return send(403, { type: 'urn:ietf:params:acme:error:rejectedIdentifier', detail });
      const at = place(payload as never);
      return send(201, showOrder(url, state.orders[at]!, at), { location: `${url}/order/${at}` });
    }
    if (!order) return send(404, { detail: 'There is nothing here.' });
    const at = Number(id);
    if (what === 'challenge') {
      // An empty payload only reads the state.
      if (payload !== null && order.status === 'pending')
        order.status = (await isAnswered(order, challengePort)) ? 'ready' : 'invalid';
      return send(200, showChallenge(url, order, at));
    }
    if (what === 'authorization')
      return send(200, {
        status: order.status === 'ready' ? 'valid' : order.status,
        identifier: { type: 'dns', value: order.host },
        challenges: [showChallenge(url, order, at)],
      });
    if (what === 'finalize') {
      order.chain = authority.sign((payload as { csr: string }).csr, order.host);
      order.status = 'valid';
    }
    if (what === 'certificate') return send(200, order.chain);
    return send(200, showOrder(url, order, at), { location: `${url}/order/${at}` });
  }
  return state;
}

function showOrder(url: string, order: Order, at: number) {
  return {
    status: order.status,
    identifiers: [{ type: 'dns', value: order.host }],
    authorizations: [`${url}/authorization/${at}`],
    finalize: `${url}/finalize/${at}`,
    ...(order.status === 'valid' ? { certificate: `${url}/certificate/${at}` } : {}),
  };
}

function showChallenge(url: string, { token, status }: Order, at: number) {
  return {
    type: 'http-01',
    url: `${url}/challenge/${at}`,
    token,
    status: status === 'ready' ? 'valid' : status,
    ...(status === 'invalid' ? { error: { type: 'unauthorized', detail: 'The answer was wrong.' } } : {}),
  };
}

function directoryOf(url: string, state: AcmeServer) {
  state.directoryReads += 1;
  return {
    newNonce: `${url}/nonce`,
    newAccount: `${url}/account`,
    newOrder: `${url}/new-order`,
    ...(state.window === null ? {} : { renewalInfo: `${url}/renewal` }),
    meta: {},
  };
}

/** The body is a JWS. Returns null for an empty payload. */
async function readPayload(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  if (text === '') return null;
  const { payload } = JSON.parse(text) as { payload: string };
  return payload === '' ? null : JSON.parse(Buffer.from(payload, 'base64url').toString());
}

async function isAnswered({ host, token }: Order, port: number): Promise<boolean> {
  const path = `/.well-known/acme-challenge/${token}`;
  const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return response.statusCode === 200 && text.startsWith(`${token}.`);
}

function createAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ca-'));
  const openssl = (args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=Test authority', '-days', '30'];
  openssl(['req', '-x509', ...curve, ...name, '-keyout', 'ca.key', '-out', 'ca.pem']);
  const certificate = readFileSync(join(folder, 'ca.pem'), 'utf8');
  return {
    certificate,
    sign(csr: string, host: string): string {
      const lines = Buffer.from(csr, 'base64url')
        .toString('base64')
        .match(/.{1,64}/g)!;
      const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
      writeFileSync(join(folder, 'one.csr'), pem);
      writeFileSync(
        join(folder, 'one.ext'),
        `subjectAltName=DNS:${host}\nauthorityKeyIdentifier=keyid\nextendedKeyUsage=serverAuth\n`,
      );
      const from = ['-in', 'one.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-extfile', 'one.ext'];
      const serial = `0x${createHash('sha256').update(csr).digest('hex').slice(0, 32)}`;
      openssl(['x509', '-req', ...from, '-set_serial', serial, '-days', '90', '-out', 'one.pem']);
      const issued = readFileSync(join(folder, 'one.pem'), 'utf8');
      return new X509Certificate(issued).toString() + certificate;
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
