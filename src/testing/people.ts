/** Creates people for tests through the setup link and invitations, as in production. */
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

export async function invite(owner: TestPerson, role: string, email = newEmail()): Promise<string> {
  const { status, body } = await owner.call('POST', '/invitations', { email, role });
  if (status !== 200) throw new Error(`Not invited: ${JSON.stringify(body)}`);
  return new URL(body.link).searchParams.get('token')!;
}

export async function addPerson(server: TestServer, owner: TestPerson, role: string): Promise<TestPerson> {
  const token = await invite(owner, role);
  const input = { token, name: `A ${role}`, password: PASSWORD };
  return toPerson(server.url, await server.call('POST', '/auth/accept-invitation', input));
}

export async function signIn(server: TestServer, email: string, password = PASSWORD): Promise<TestPerson> {
  return toPerson(server.url, await server.call('POST', '/auth/sign-in', { email, password }));
}
