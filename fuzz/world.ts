/**
 * A team with one object of every kind, created through the API, so that fuzzing gets past "not found". Objects that
 * requests create during the run are added to it, and deletions use only those.
 */
import { writeTo } from './smtp/client.ts';
import type { Random } from './random.ts';
import { send, type HttpAnswer } from './http/send.ts';
import type { Target } from './target.ts';

/** Keyed by the noun in the path: `contactBooks`, `mailboxes`, `saved-replies`. */
type Ids = Record<string, string[]>;

/** The fields of responses that are used here. */
interface WorldAnswer {
  id: string | number;
  secret: string;
  contactId?: string;
  emailId?: string;
  key: string;
  link: string;
  password: string;
  /** The cookie of the session that the response started. */
  cookie: string | null;
  user: { id: string };
  items: { id: string }[];
  messages: { id: string }[];
}

/** A request that succeeded during setup. Its response is checked like any other. */
interface MadeCall {
  method: string;
  path: string;
  answer: HttpAnswer;
}

export interface World {
  /** Objects that are never deleted. */
  kept: Ids;
  /** Objects that fuzzing added, oldest first. */
  added: Ids;
  mailboxAddress: string;
  /** The password of email apps for this mailbox. */
  appPassword: string;
  /** API keys by permission. */
  keys: { full: string; sending: string; bound: string };
  /** The origin of our own pages, which changes with a session require. */
  origin: string;
  /** Session cookies of the owner. */
  sessions: string[];
  sessionToEnd: string;
  /** The token of an invitation that is not accepted yet. */
  invitationToken: string;
  madeCalls: MadeCall[];
  /** Throws unless the response is 200. */
  call(method: string, path: string, body?: unknown, cookie?: string): Promise<WorldAnswer>;
}

export const DOMAIN = 'fuzz.test';
export const SENDER = `Fuzz <news@${DOMAIN}>`;
export const OWNER = { name: 'Ada', email: 'ada@people.test', password: 'correct horse battery staple' };
const SESSIONS = 3;
const DAY_MS = 86_400_000;

export async function makeWorld(target: Target): Promise<World> {
  const kept: Ids = {};
  const madeCalls: MadeCall[] = [];
  const sessions: string[] = [];

  async function call(method: string, path: string, body?: unknown, cookie?: string): Promise<WorldAnswer> {
    const answer = await send(target, {
      name: `${method} ${path}`,
      group: 'making the world',
      method,
      path: `/v1${path}`,
      headers: {
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
        ...(cookie === undefined
          ? { authorization: `Bearer ${target.key}` }
          : { cookie, origin: target.url }),
      },
      body: body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });
    if (answer?.status !== 200)
      throw new Error(`${method} ${path} responded with ${answer?.body.toString()}`);
    madeCalls.push({ method, path: `/v1${path}`, answer });
    if (path.startsWith('/auth/') && answer.cookie) sessions.push(answer.cookie);
    const isJson = answer.contentType.startsWith('application/json');
    const values = isJson ? (JSON.parse(answer.body.toString()) as object) : {};
    return { ...values, cookie: answer.cookie } as WorldAnswer;
  }

  /** Creates an object and stores its ID under the noun at the end of the path. */
  async function make(path: string, body: unknown, noun = path.split('/').at(-1)!): Promise<string> {
    const made = await call('POST', path, body);
    const id = String(made.contactId ?? made.emailId ?? made.id);
    (kept[noun] ??= []).push(id);
    return id;
  }

  const domain = await make('/domains', { name: DOMAIN });
  await call('PUT', `/domains/${domain}/verify`);
  await makeAudience(make);
  const fields = { from: SENDER, subject: 'Hello', html: '<p>Hello {{firstName}}</p>' };
  await make('/campaigns', { name: 'News', contactBookId: kept.contactBooks![0], ...fields });
  await make('/emails', { ...fields, to: 'ada@people.test' });
  const later = new Date(Date.now() + 30 * DAY_MS).toISOString();
  for (let count = 0; count < 3; count += 1)
    await make('/emails', { ...fields, to: 'ada@people.test', scheduledAt: later });
  await make('/suppressions', { email: 'gone@people.test' });
  const hook = await make('/webhooks', { url: `https://hooks.${DOMAIN}/`, events: ['*'] });
  await call('POST', `/webhooks/${hook}/test`);
  kept.calls = idsOf(await call('GET', `/webhooks/${hook}/calls`));

  const mailboxAddress = `support@${DOMAIN}`;
  const mailbox = await make('/mailboxes', { address: mailboxAddress, name: 'Support' });
  const { password: appPassword } = await call('POST', `/mailboxes/${mailbox}/app-passwords`, {
    name: 'App',
  });
  await make(`/mailboxes/${mailbox}/saved-replies`, { name: 'Thanks', html: '<p>Thank you</p>' });
  for (let count = 0; count < 3; count += 1)
    await make(`/mailboxes/${mailbox}/drafts`, { to: ['ada@people.test'], subject: 'Draft', text: 'x' });
  const held = { to: ['ada@people.test'], subject: 'Later', text: 'x', send_at: later };
  for (let count = 0; count < 3; count += 1) await make(`/mailboxes/${mailbox}/messages`, held, 'scheduled');
  const [thread, ...others] = await receiveMail(target, mailboxAddress, call, mailbox);
  for (const other of others) await call('PATCH', `/threads/${other}`, { folder: 'trash' });
  kept.threads = [thread!];
  kept.messages = [(await call('GET', `/threads/${thread}`)).messages[0]!.id];

  await call('POST', '/auth/setup', { token: target.setupToken, ...OWNER }, '');
  for (let count = 0; count < SESSIONS; count += 1) await call('POST', '/auth/sign-in', OWNER, '');
  kept.members = idsOf(await call('GET', '/members'));
  const invite = (email: string) => call('POST', '/invitations', { email, role: 'member' });
  const invitationToken = tokenOf(await invite('grace@people.test'));
  const member = {
    token: tokenOf(await invite('edith@people.test')),
    name: 'Edith',
    password: OWNER.password,
  };
  const joined = await call('POST', '/auth/accept-invitation', member, '');
  const key = (body: object) => call('POST', '/api-keys', { name: 'Key', ...body }).then((made) => made.key);
  const keys = {
    full: target.key,
    sending: await key({ permission: 'sending' }),
    bound: await key({ permission: 'full', domainId: Number(domain) }),
  };
  const added = {
    threads: others,
    members: [joined.user.id],
    emails: kept.emails!.splice(2),
    scheduled: kept.scheduled!.splice(1),
    drafts: kept.drafts!.splice(1),
  };
  const [sessionToEnd, ...rest] = sessions;
  return {
    kept,
    added,
    mailboxAddress,
    appPassword,
    keys,
    origin: target.url,
    sessions: rest.slice(0, SESSIONS),
    sessionToEnd: sessionToEnd!,
    invitationToken,
    madeCalls,
    call,
  };
}

type Call = World['call'];
type Make = (path: string, body: unknown, noun?: string) => Promise<string>;

async function makeAudience(make: Make): Promise<void> {
  const book = await make('/contactBooks', { name: 'Readers', variables: ['city'] });
  for (let person = 0; person < 5; person += 1)
    await make(`/contactBooks/${book}/contacts`, { email: `reader${person}@people.test` });
  await make(`/contactBooks/${book}/imports`, 'Email\nimported@people.test\nno address\n');
  await make('/segments', { name: 'All', contactBookId: book, filter: { all: [] } });
  await make('/topics', { name: 'News' });
  await make('/forms', { name: 'Sign up', contactBookId: book, fields: ['email', 'firstName', 'city'] });
  await make('/templates', { name: 'Order', subject: 'Order {{number}}', html: '<p>{{number}}</p>' });
}

/** Returns the threads of received mail, the first of them with an attachment. */
async function receiveMail(target: Target, address: string, call: Call, mailbox: string): Promise<string[]> {
  const attachment = 'Content-Disposition: attachment; filename="a.txt"\r\n';
  for (const [index, subject] of ['Hello', 'Order', 'Thanks', 'Help'].entries()) {
    const raw = `From: ada@people.test\r\nSubject: ${subject}\r\n${index === 0 ? attachment : ''}\r\nIt turns.\r\n`;
    const code = await writeTo(target, 'inbound', {
      name: 'plain mail',
      to: [address],
      raw: Buffer.from(raw),
    });
    if (code !== '250') throw new Error(`The reply to the first message was ${code}.`);
  }
  // The oldest thread is last.
  return idsOf(await call('GET', `/mailboxes/${mailbox}/threads?folder=inbox`)).toReversed();
}

export function tokenOf({ link }: WorldAnswer): string {
  return new URL(link).searchParams.get('token')!;
}

function idsOf({ items }: WorldAnswer): string[] {
  return items.map(({ id }) => id);
}

/** Returns an ID of this noun: mostly a permanent object, sometimes an added one. */
export function chooseId(world: World, noun: string, random: Random): string | undefined {
  const added = world.added[noun] ?? [];
  if (added.length > 0 && random.chance(0.3)) return random.pick(added);
  const kept = world.kept[noun] ?? added;
  return kept.length > 0 ? random.pick(kept) : undefined;
}

/** Returns an ID that may be deleted. It is not returned again. */
export function takeAddedId(world: World, noun: string): string | undefined {
  return world.added[noun]?.shift();
}
