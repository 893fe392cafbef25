/** Orders a certificate from an ACME server (RFC 8555) with the HTTP-01 challenge. */
import { setTimeout as wait } from 'node:timers/promises';
import type Acme from 'acme-client';
import type { Certificate } from './certificate.ts';
import { MINUTE_MS } from '../durations.ts';

export interface CertificateOrder {
  directoryUrl: string;
  /** In PEM. */
  accountKey: string | Buffer;
  email: string;
  names: string[];
  /** The ID of the certificate that the new one replaces (RFC 9773 section 5), if the server wants to know it. */
  replaces?: string | null;
  /** The server reads the answer over HTTP while the order runs. */
  challenges: {
    put(token: string, answer: string): void | Promise<void>;
    remove(token: string): void | Promise<void>;
  };
  answerWithinMs?: number;
}

/** Without this limit, a stalled server would end all renewals silently. */
const ANSWER_WITHIN_MS = 30_000;
const GIVE_UP_MS = 5 * MINUTE_MS;
/** The library would wait as long as the server says, which can be hours. Failed orders are tried again later. */
const NO_RETRIES = 0;
const BACKOFF = { backoffAttempts: 20, backoffMin: 1_000, backoffMax: 10_000 };

export async function createAccountKey(): Promise<Buffer> {
  const { default: acme } = await import('acme-client');
  return acme.crypto.createPrivateEcdsaKey();
}

/** Throws an error whose message tells an operator what is wrong. */
export async function orderCertificate(order: CertificateOrder): Promise<Certificate> {
  const { directoryUrl, accountKey, names, answerWithinMs = ANSWER_WITHIN_MS } = order;
  await requireDirectory(directoryUrl, answerWithinMs);
  // Import the library only here: it accounts for a quarter of the start time, and few processes order certificates.
  const { default: acme } = await import('acme-client');
  acme.axios.defaults.timeout = answerWithinMs;
  Object.assign((acme.axios.defaults as { acmeSettings?: object }).acmeSettings ?? {}, {
    retryMaxAttempts: NO_RETRIES,
  });
  const client = new acme.Client({ directoryUrl, accountKey, ...BACKOFF });
  const [key, csr] = await acme.crypto.createCsr(
    { commonName: names[0], altNames: names },
    await acme.crypto.createPrivateEcdsaKey(),
  );
  const stopping = new AbortController();
  const tooLong = wait(GIVE_UP_MS, null, { ref: false, signal: stopping.signal }).then(() => {
    throw new Error('The ACME server did not finish the order within 5 minutes.');
  });
  tooLong.catch(() => {});
  try {
    const cert = await Promise.race([runOrder(client, order, csr), tooLong]);
    return { key: key.toString(), cert };
  } catch (error) {
    // acme-client throws a TypeError if the response never came.
    throw error instanceof TypeError ? new Error('The ACME server has stopped answering.') : error;
  } finally {
    stopping.abort();
  }
}

async function runOrder(
  client: Acme.Client,
  { email, names, replaces, challenges }: CertificateOrder,
  csr: Buffer,
): Promise<string> {
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] });
  const identifiers = names.map((value) => ({ type: 'dns' as const, value }));
  const placed = await client.createOrder({ identifiers, ...(replaces ? { replaces } : {}) });
  for (const authorization of await client.getAuthorizations(placed)) {
    if (authorization.status === 'valid') continue;
    const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
    if (!challenge)
      throw new Error(`The ACME server offers no HTTP challenge for ${authorization.identifier.value}.`);
    await challenges.put(challenge.token, await client.getChallengeKeyAuthorization(challenge));
    try {
      await client.completeChallenge(challenge);
      await client.waitForValidStatus(challenge);
    } finally {
      await challenges.remove(challenge.token);
    }
  }
  return client.getCertificate(await client.finalizeOrder(placed, csr));
}

/** acme-client's own error does not say that the server cannot be reached. */
async function requireDirectory(url: string, answerWithinMs: number): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) }).catch(
    (error: Error & { cause?: Error }) => {
      throw new Error(`The ACME server cannot be reached: ${error.cause?.message ?? error.message}`);
    },
  );
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The ACME server responded with status ${response.status}.`);
}
