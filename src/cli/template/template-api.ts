/** The operations of the HTTP API on templates that `template push` needs. */
import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';

const TIMEOUT_MS = 30_000;

const template = z.object({ id: z.string(), subject: z.string().nullable(), html: z.string().nullable() });
type StoredTemplate = z.infer<typeof template>;

export interface TemplateApi {
  /** Null if there is no template with this alias. */
  find(alias: string): Promise<StoredTemplate | null>;
  create(input: object): Promise<StoredTemplate>;
  update(id: string, input: object): Promise<StoredTemplate>;
}

export function createTemplateApi(baseUrl: string, key: string): TemplateApi {
  if (!URL.canParse(baseUrl)) throw new AppError('BAD_REQUEST', '--url must be the URL of the server.');
  const base = `${baseUrl.replace(/\/+$/, '')}/api/v1/templates`;

  async function request(method: string, path: string, input?: object): Promise<StoredTemplate | null> {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(input && { body: JSON.stringify(input) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => {
      throw new AppError('UNAVAILABLE', `${base} cannot be reached: ${describe(error)}`);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.status === 404 && method === 'GET' && answer !== null) return null;
    if (!response.ok)
      throw new AppError('BAD_REQUEST', `The server answered ${response.status}: ${messageIn(answer)}`);
    const read = template.safeParse(answer);
    if (!read.success)
      throw new AppError('UNAVAILABLE', `${base} does not respond like a Posthorn server. Check --url.`);
    return read.data;
  }

  return {
    find: (alias) => request('GET', `/${alias}`),
    create: async (input) => (await request('POST', '', input))!,
    update: async (id, input) => (await request('PATCH', `/${id}`, input))!,
  };
}

function describe({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

function messageIn(answer: unknown): string {
  const shape = z.object({ error: z.object({ message: z.string() }) }).safeParse(answer);
  return shape.success ? shape.data.error.message : 'no reason was given.';
}
