/** Creates people for tests through the setup link and invitations, as in production. */
import { sql } from 'kysely';
import { sha256 } from '../platform/crypto.ts';
import { stepAt, totpCode } from '../features/identity/people/totp.ts';
import { createCall, type Answer, type Call, type TestServer } from './test-server.ts';

export interface TestPerson {
  id: string;
  email: string;
  cookie: string;
  /** Calls with the session cookie and our own origin. */
  call: Call;
}

export const PASSWORD = 'correct horse battery';

let people = 0;

export function newEmail(): string {
  return `person${++people}@people.example`;
}

/** Returns `ph_session=…` as a browser would send it; an empty value if the cookie was removed. */
export function cookieOf({ headers }: Answer): string {
  const value = /^(ph_session=[^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
  return value === 'ph_session=' ? '' : value;
}

export function createPersonCall(url: string, cookie: string): Call {
  const call = createCall(url);
  return (method, path, body, headers = {}) => call(method, path, body, { cookie, origin: url, ...headers });
}

function toPerson(url: string, answer: Answer): TestPerson {
  if (answer.status !== 200) throw new Error(`Not let in: ${JSON.stringify(answer.body)}`);
  const { id, email } = (answer.body.session ?? answer.body).user;
  const cookie = cookieOf(answer);
  return { id, email, cookie, call: createPersonCall(url, cookie) };
}

/** Creates the owner of the first team through the setup link. */
export async function setUpOwner(server: TestServer): Promise<TestPerson> {
  const input = { token: server.setupToken, name: 'Owner', email: newEmail(), password: PASSWORD };
  return toPerson(server.url, await server.call('POST', '/auth/setup', input));
}

/** Returns the token of an invitation. The server must not be able to send it, so that the link is shown. */
export async function invite(owner: TestPerson, role: string, email = newEmail()): Promise<string> {
  const { status, body } = await owner.call('POST', '/invitations', { email, role });
  if (status !== 200) throw new Error(`Not invited: ${JSON.stringify(body)}`);
  return tokenOf(body.link);
}

function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token')!;
}

/** Gives an invitation that was sent by email a token that the test knows. */
async function replaceToken(server: TestServer, email: string): Promise<string> {
  const token = `known token for ${email}`;
  await sql`update invitations set token_hash = ${sha256(token)} where email = ${email}`.execute(server.db);
  return token;
}

export async function addPerson(server: TestServer, owner: TestPerson, role: string): Promise<TestPerson> {
  const email = newEmail();
  const { status, body } = await owner.call('POST', '/invitations', { email, role });
  if (status !== 200) throw new Error(`Not invited: ${JSON.stringify(body)}`);
  const token = body.link === null ? await replaceToken(server, email) : tokenOf(body.link);
  return acceptInvitation(server, token, `A ${role}`);
}

export async function acceptInvitation(
  server: TestServer,
  token: string,
  name: string,
  password = PASSWORD,
): Promise<TestPerson> {
  const input = { token, name, password };
  return toPerson(server.url, await server.call('POST', '/auth/accept-invitation', input));
}

/** `more` is a second factor. */
export async function signIn(
  server: TestServer,
  email: string,
  password = PASSWORD,
  more: { code?: string } = {},
): Promise<TestPerson> {
  return toPerson(server.url, await server.call('POST', '/auth/sign-in', { email, password, ...more }));
}

export async function turnOnTwoFactor(person: TestPerson, password = PASSWORD) {
  const { body } = await person.call('POST', '/auth/totp/start', { password });
  const secret = fromRfcBase32(body.secret);
  // Uses the previous step's code, so that the current and the next one are left for the test.
  const code = totpCode(secret, stepAt(Date.now()) - 1);
  const confirmed = await person.call('POST', '/auth/totp/confirm', { code });
  return { secret, started: body, confirmed };
}

function fromRfcBase32(text: string): Buffer {
  const bits = [...text]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
