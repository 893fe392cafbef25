/**
 * The applications that ask for consent. Their ID is the URL of a metadata document, which is fetched from a public https
 * address, or was given to them when they registered (RFC 7591).
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { toBase32 } from '../../../platform/ids.ts';
import { FetchFailure, type FetchFile } from '../../instance/fetch-file.ts';
import { isRedirect } from './redirects.ts';

export interface OauthClient {
  id: string;
  name: string;
  /** The host that the client belongs to, if its ID proves it. */
  host: string | null;
  redirectUris: string[];
}

const MAX_DOCUMENT_BYTES = 5 * 1024;
const FETCH_MS = 5_000;
const CACHED_MS = 5 * 60_000;
const MAX_CACHED = 200;
const MAX_CLIENTS = 10_000;

const redirectUris = z
  .array(z.string().refine(isRedirect, { error: 'must be an https URL, or http on a loopback address' }))
  .min(1)
  .max(20);
const name = z.string().trim().min(1).max(100);

const document = z.object({
  client_id: z.string(),
  client_name: name.optional(),
  redirect_uris: redirectUris,
  token_endpoint_auth_method: z.literal('none').optional(),
});

export const registration = z.object({
  client_name: name.optional(),
  redirect_uris: redirectUris,
});

export type FindClient = (db: Db, id: string) => Promise<OauthClient>;

/** Throws BAD_REQUEST for a client that is not known, with a sentence for the person. */
export function createClientFinder(fetchFile: FetchFile): FindClient {
  const cache = new Map<string, { client: OauthClient; untilMs: number }>();
  return async (db, id) => {
    if (!id.startsWith('https://')) return findRegistered(db, id);
    const known = cache.get(id);
    if (known && known.untilMs > performance.now()) return known.client;
    const client = await fetchClient(fetchFile, id);
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!);
    cache.set(id, { client, untilMs: performance.now() + CACHED_MS });
    return client;
  };
}

async function fetchClient(fetchFile: FetchFile, id: string): Promise<OauthClient> {
  if (!isDocumentUrl(id)) throw unusable('its ID is not the https URL of a document');
  const signal = AbortSignal.timeout(FETCH_MS);
  const fetched = await fetchFile(id, { maxBytes: MAX_DOCUMENT_BYTES, signal });
  if (fetched instanceof FetchFailure) throw unusable(`its document cannot be read: ${fetched.reason}`);
  const read = document.safeParse(parse(fetched));
  if (!read.success || read.data.client_id !== id) throw unusable('its document is not right');
  const { host } = new URL(id);
  return { id, host, name: read.data.client_name ?? host, redirectUris: read.data.redirect_uris };
}

function isDocumentUrl(id: string): boolean {
  if (id.length > 500 || !URL.canParse(id)) return false;
  const { href, pathname, username, password, hash } = new URL(id);
  return href === id && pathname !== '/' && `${username}${password}${hash}` === '';
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function unusable(why: string) {
  return badRequest(`The application that sent you here cannot be used, because ${why}.`);
}

async function findRegistered(db: Db, id: string): Promise<OauthClient> {
  const row = await db
    .selectFrom('oauth_clients')
    .select(['id', 'name', 'redirect_uris'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unusable('it is not known here');
  return { id, name: row.name, host: null, redirectUris: row.redirect_uris };
}

export async function registerClient(
  db: Db,
  input: z.output<typeof registration>,
): Promise<{ id: string; name: string }> {
  const { count } = await db
    .selectFrom('oauth_clients')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_CLIENTS)
    throw badRequest('Too many applications are registered. Try again tomorrow.');
  const id = `mcp_${toBase32(randomBytes(16))}`;
  const client = { id, name: input.client_name ?? 'An application' };
  await db
    .insertInto('oauth_clients')
    .values({ ...client, redirect_uris: input.redirect_uris })
    .execute();
  return client;
}
