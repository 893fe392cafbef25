/** A small JMAP client for tests. */
import type { MailWorld } from '../mail-world.ts';

// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface JmapClient {
  address: string;
  mailboxId: string;
  password: string;
  accountId: string;
  authorization: string;
  /** Sends any body to the API. */
  post(body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: Json }>;
  /** Makes one method call. Returns the arguments of its response, or throws its error. */
  call(name: string, args?: object): Promise<Json>;
  /** Makes several method calls. Returns all responses. */
  calls(calls: [string, object, string][]): Promise<[string, Json, string][]>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  upload(content: string | Uint8Array, type?: string): Promise<string>;
}

export const USING = [
  'urn:ietf:params:jmap:core',
  'urn:ietf:params:jmap:mail',
  'urn:ietf:params:jmap:submission',
  'urn:ietf:params:jmap:vacationresponse',
  'urn:ietf:params:jmap:quota',
];

class JmapError extends Error {
  readonly type: string;

  constructor(type: string, description: string) {
    super(`${type}: ${description}`);
    this.type = type;
  }
}

/** Opens a client for a new mailbox. */
export async function openJmapClient(world: MailWorld, input: object = {}): Promise<JmapClient> {
  const box = await world.freshMailbox(input);
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
  return createJmapClient(world.server.url, { ...box, password: body.password });
}

export function createJmapClient(
  url: string,
  { id, address, password }: { id: string; address: string; password: string },
): JmapClient {
  const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`;

  async function post(body: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}/jmap/api`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  async function calls(methodCalls: [string, object, string][]) {
    const { status, body } = await post({ using: USING, methodCalls });
    if (status !== 200) throw new JmapError(body.type, body.detail);
    return body.methodResponses;
  }

  return {
    address,
    mailboxId: id,
    password,
    accountId: id,
    authorization,
    post,
    calls,
    async call(name, args = {}) {
      const [[answered, result]] = await calls([[name, { accountId: id, ...args }, 'c']]);
      if (answered === 'error') throw new JmapError(result.type, result.description);
      return result;
    },
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers: { authorization, ...headers } }),
    async upload(content, type = 'application/octet-stream') {
      const response = await fetch(`${url}/jmap/upload/${id}/`, {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body: content as string,
      });
      if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { blobId: string }).blobId;
    },
  };
}
