/** Push with server-sent events (RFC 8620 section 7.3): tells a client which types have a new state. */
import type { MailLogin } from '../features/identity/app-passwords/app-password-cache.ts';
import { listIdentities } from '../features/mailboxes/jmap/identities.ts';
import { submissionState } from '../features/mailboxes/jmap/list-submissions.ts';
import { readVacation } from '../features/mailboxes/vacation/vacation-response.ts';
import { readChangeNumber } from '../features/mailboxes/storage/list-changes.ts';
import type { MountedAnswer, MountedRequest } from '../platform/mounted-door.ts';
import { createWakeableTimer } from '../platform/concurrency/wakeable-timer.ts';
import { RequestProblem, overLimit } from './answers.ts';
import type { Authenticated } from './authenticate.ts';
import { toAccountId } from './calls/ids.ts';
import type { JmapTools } from './calls/tools.ts';
import { readQuotaState } from './methods/quota.ts';
import { HOUR_MS } from '../platform/durations.ts';

const TYPES = [
  'Email',
  'Mailbox',
  'Thread',
  'EmailSubmission',
  'Identity',
  'VacationResponse',
  'Quota',
] as const;
type States = Record<(typeof TYPES)[number], string>;

const MIN_PING_SECONDS = 5;
const MAX_PING_SECONDS = 600;
/** A comment keeps proxies from closing a silent connection. */
const HEARTBEAT_MS = 30_000;
/** After this time the client must connect and authenticate again. */
const MAX_STREAM_MS = HOUR_MS;

interface Wanted {
  types: readonly (typeof TYPES)[number][];
  closesAfterState: boolean;
  pingSeconds: number;
  /** The ID of the last event that the client has seen. */
  lastEventId: string | undefined;
}

export async function openEvents(
  tools: JmapTools,
  request: MountedRequest,
  by: Authenticated,
): Promise<MountedAnswer> {
  const wanted = readWanted(request);
  const end = tools.limits.begin('stream', by.login.mailboxId);
  if (!end) throw overLimit('maxConcurrentRequests', 'This mailbox has too many open event streams.');
  // Count only streams that have begun. A client that disconnects before that would be counted forever.
  end();
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  };
  if (request.method === 'HEAD') return { status: 200, headers, body: '' };
  return { status: 200, headers, body: streamStates(tools, by, wanted, request.onDisconnect) };
}

function readWanted({ query, header }: MountedRequest): Wanted {
  const { types = '*', closeafter = 'no', ping = '0' } = query;
  if (closeafter !== 'no' && closeafter !== 'state') throw invalid('closeafter must be state or no.');
  if (!/^\d{1,9}$/.test(ping)) throw invalid('ping must be a number of seconds.');
  const names = types.slice(0, 1_000).split(',');
  const seconds = Number(ping);
  return {
    types: names.includes('*') ? TYPES : TYPES.filter((type) => names.includes(type)),
    closesAfterState: closeafter === 'state',
    pingSeconds: seconds === 0 ? 0 : Math.min(Math.max(seconds, MIN_PING_SECONDS), MAX_PING_SECONDS),
    lastEventId: header('last-event-id'),
  };
}

function invalid(detail: string): RequestProblem {
  return new RequestProblem(400, 'about:blank', detail);
}

async function* streamStates(
  tools: JmapTools,
  { login, password }: Authenticated,
  wanted: Wanted,
  onDisconnect: MountedRequest['onDisconnect'],
): AsyncGenerator<string> {
  const { facts, watcher, appPasswords } = tools;
  const uncount = tools.limits.begin('stream', login.mailboxId);
  if (!uncount) return;
  const timer = createWakeableTimer();
  let isOver = false;
  const end = () => {
    isOver = true;
    timer.wake();
  };
  const stops = [
    uncount,
    watcher.watch(login, timer.wake),
    appPasswords.watch(password, end),
    // A pause may be ten minutes long, and a stream counts until it ends.
    onDisconnect(end),
    () => facts.stopping.removeEventListener('abort', timer.wake),
  ];
  facts.stopping.addEventListener('abort', timer.wake);
  const endsAt = performance.now() + MAX_STREAM_MS;
  const pingMs = wanted.pingSeconds * 1_000;
  const mayGoOn = () => !facts.stopping.aborted && !isOver && performance.now() < endsAt;
  try {
    let states = await readStates(tools, login);
    yield ': connected\n\n';
    if (wanted.lastEventId !== undefined && wanted.lastEventId !== idOf(states)) {
      yield writeState(login, states, wanted.types);
      if (wanted.closesAfterState) return;
    }
    while (mayGoOn()) {
      const wasWoken = await timer.sleep(pingMs || HEARTBEAT_MS);
      if (!mayGoOn()) return;
      if (!wasWoken) yield pingMs ? writePing(wanted.pingSeconds) : ': alive\n\n';
      const before: States = states;
      states = await readStates(tools, login);
      const changed = wanted.types.filter((type) => states[type] !== before[type]);
      if (changed.length === 0) continue;
      yield writeState(login, states, changed);
      if (wanted.closesAfterState) return;
    }
  } finally {
    for (const stop of stops) stop();
  }
}

async function readStates(tools: JmapTools, login: MailLogin): Promise<States> {
  const { db } = tools;
  const { modseq } = await readChangeNumber(db, login);
  const { state } = await listIdentities(db, login);
  const submissions = await submissionState(db, login);
  const vacation = await readVacation(db, login);
  const own = String(modseq);
  return {
    Email: own,
    Mailbox: own,
    Thread: own,
    EmailSubmission: String(submissions),
    Identity: String(state),
    VacationResponse: String(vacation.modseq),
    Quota: await readQuotaState(tools, login),
  };
}

function idOf({ Email, EmailSubmission, Identity, VacationResponse, Quota }: States): string {
  return `${Email}-${EmailSubmission}-${Identity}-${VacationResponse}-${Quota}`;
}

function writeState(login: MailLogin, states: States, types: Wanted['types']): string {
  const changed = { [toAccountId(login)]: Object.fromEntries(types.map((type) => [type, states[type]])) };
  const data = JSON.stringify({ '@type': 'StateChange', changed });
  return `event: state\nid: ${idOf(states)}\ndata: ${data}\n\n`;
}

function writePing(interval: number): string {
  return `event: ping\ndata: ${JSON.stringify({ interval })}\n\n`;
}
