/**
 * Makes the webhook calls. Endpoints are called concurrently, each with one call at a time and in order, except that
 * a failed call is retried on its own schedule while later calls go on. An endpoint that keeps failing backs off as a
 * whole, so that the end of an outage does not cause a burst of calls. sender-places.ts says how many are called at the
 * same time.
 *
 * A call that cannot be made because of an error on our side, such as an event that cannot be rendered, is a failed
 * attempt too: it is retried on the same schedule and given up at its end, and the calls after it go on.
 *
 * If the process dies between a call and recording it, the call is made again with the same `webhook-id`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { SecretBox } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database/database.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { encodeId } from '../../platform/ids.ts';
import type { DatabaseClock } from '../../platform/database/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import { freeLeases, giveBack } from '../../platform/due/due.ts';
import type { LeaseHolder } from '../../platform/due/lease-holder.ts';
import { growingGapMs } from '../../platform/concurrency/growing-gap.ts';
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import { createWakeableTimer } from '../../platform/concurrency/wakeable-timer.ts';
import { runUntilClosed } from '../../platform/concurrency/work-loop.ts';
import {
  findDueCalls,
  leaseEndpoints,
  recordAttempt,
  WEBHOOK_LEASES,
  type DueCall,
  type ClaimedEndpoint,
} from './claim.ts';
import type { EndpointAttempt, EndpointCaller } from './endpoint.ts';
import { addFacts, type ToldEvent } from './event-facts.ts';
import { writeOwnRequest, type SigningContext, type VendorFormats } from './format.ts';
import { toPayload } from './payload.ts';
import { findFreePlaces, type PlaceHolder } from './sender-places.ts';
import { sign } from './signature.ts';

/** Polling is much cheaper than a notification for every event. */
const POLL_MS = 500;
const AFTER_ERROR = { firstMs: 500, longestMs: 5_000 };
/** How long running calls may take at shutdown before they are aborted and made again later. */
const GRACE_MS = 3_000;
/** Some formats contain the whole received message. Larger ones wait for each other. */
const LARGE_MESSAGE_BYTES = 1024 * 1024;
const LARGE_MESSAGES = { atOnce: 3, perTeam: 1 };

export interface WebhookSenderTools {
  db: Db;
  log: Log;
  leases: LeaseHolder;
  clock: DatabaseClock;
  endpoints: EndpointCaller;
  secrets: SecretBox;
  vendorFormats: VendorFormats;
}

export interface WebhookSender {
  wake(): void;
  close(): Promise<void>;
}

export function startWebhookSender(tools: WebhookSenderTools): WebhookSender {
  const { db, log, leases, endpoints } = tools;
  const { id } = leases;
  const timer = createWakeableTimer();
  const { wake } = timer;
  const running = new Map<Promise<void>, PlaceHolder & { endpoint: ClaimedEndpoint }>();
  const cutOff = new AbortController();
  let closing = false;
  const callAll = createCaller(tools, cutOff.signal, () => closing);

  async function workOnce(): Promise<number> {
    for (const places of findFreePlaces(running.values())) {
      const leased = await leases.claim(() => leaseEndpoints(db, id, places));
      for (const endpoint of leased) start(endpoint, places.isFailing);
    }
    return POLL_MS;
  }

  function start(endpoint: ClaimedEndpoint, isFailing: boolean): void {
    const run = callEndpoint(endpoint, isFailing).finally(() => {
      running.delete(run);
      wake();
    });
    running.set(run, { teamId: endpoint.teamId, isFailing, endpoint });
  }

  async function callEndpoint(endpoint: ClaimedEndpoint, isFailing: boolean): Promise<void> {
    try {
      await callAll(endpoint, isFailing);
    } catch (error) {
      log.error({ err: error, webhookId: endpoint.id }, 'webhook sender: deliveries were interrupted');
    }
  }

  const endHold = leases.hold({
    table: WEBHOOK_LEASES,
    listKnown: () =>
      [...running.values()].map(({ endpoint: { teamId, id: webhookId } }) => ({
        team_id: teamId,
        id: webhookId,
      })),
    onFreed: wake,
  });
  const working = runUntilClosed(workOnce, {
    timer,
    isClosing: () => closing,
    afterError: AFTER_ERROR,
    onFailure: (failure) => log.error(failure, 'webhook sender: waiting deliveries cannot be read'),
  });
  return {
    wake,
    async close() {
      closing = true;
      wake();
      await working;
      const grace = setTimeout(() => cutOff.abort(), GRACE_MS);
      await Promise.all(running.keys());
      clearTimeout(grace);
      endHold();
      await leases.waitForRenewal();
      await freeLeases(db, WEBHOOK_LEASES, [id]);
      await endpoints.close();
    },
  };
}

const NOT_MADE: EndpointAttempt = {
  durationMs: 0,
  statusCode: null,
  answer: null,
  error: 'internal',
  retryAfterMs: null,
};

/** Our own format needs no facts. */
async function toldEvents(
  db: Db,
  { teamId, format }: ClaimedEndpoint,
  calls: DueCall[],
): Promise<ToldEvent[]> {
  const events = calls.map((call) => ({ id: call.eventId, payload: toPayload(call) }));
  if (format !== 'posthorn') return addFacts(db, teamId, events);
  const none = { teamId, email: undefined, message: undefined, domain: undefined };
  return events.map((event) => ({ ...event, ...none }));
}

/** Reads all events together, or each alone if one of them cannot be read. Its error takes its place. */
async function tryEvents(
  db: Db,
  endpoint: ClaimedEndpoint,
  calls: DueCall[],
): Promise<(ToldEvent | { error: unknown })[]> {
  try {
    return await toldEvents(db, endpoint, calls);
  } catch (error) {
    if (toAppError(error).code === 'UNAVAILABLE') throw error;
    if (calls.length === 1) return [{ error }];
    const alone = [];
    for (const call of calls) alone.push(...(await tryEvents(db, endpoint, [call])));
    return alone;
  }
}

/** Makes the due calls of one endpoint, one after the other, and records each attempt. */
function createCaller(
  { db, log, leases, clock, endpoints, secrets, vendorFormats }: WebhookSenderTools,
  cutOff: AbortSignal,
  isClosing: () => boolean,
): (endpoint: ClaimedEndpoint, isFailing: boolean) => Promise<void> {
  const inTurn = createTeamQueue(LARGE_MESSAGES);
  const open = (encrypted: Buffer) => secrets.decrypt(encrypted).toString();

  async function callOnce(endpoint: ClaimedEndpoint, event: ToldEvent): Promise<EndpointAttempt | null> {
    const { url, format, secret, oldSecret } = endpoint;
    const context: SigningContext = {
      secrets: [open(secret), ...(oldSecret ? [open(oldSecret)] : [])],
      now: clock.now(),
    };
    const request =
      format === 'posthorn' ? writeOwnRequest(event) : await vendorFormats[format](db, event, context);
    const signed = sign(context.secrets, encodeId('evt', event.id), context.now, request.body);
    return endpoints.post(url, { ...request, headers: { ...signed, ...request.headers } }, cutOff);
  }

  function callInTurn(endpoint: ClaimedEndpoint, event: ToldEvent): Promise<EndpointAttempt | null> {
    const call = () => callOnce(endpoint, event);
    return (event.message?.size ?? 0) > LARGE_MESSAGE_BYTES ? inTurn(endpoint.teamId, call) : call();
  }

  /** Retries until the database is back, because an unrecorded call would be made again. */
  async function record(
    endpoint: ClaimedEndpoint,
    call: DueCall,
    attempt: EndpointAttempt,
  ): Promise<boolean> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await recordAttempt(db, { senderId: leases.id, endpoint, call, attempt, now: clock.now() });
      } catch (error) {
        log.error({ err: error, failures }, 'webhook sender: an attempt could not be recorded yet');
        if (isClosing()) return false;
        await wait(growingGapMs(failures, AFTER_ERROR));
      }
    }
  }

  async function attemptCall(
    endpoint: ClaimedEndpoint,
    call: DueCall,
    event: ToldEvent | { error: unknown },
  ): Promise<EndpointAttempt | null> {
    try {
      if ('error' in event) throw event.error;
      return await callInTurn(endpoint, event);
    } catch (error) {
      if (toAppError(error).code === 'UNAVAILABLE') throw error;
      const ids = { teamId: endpoint.teamId, webhookId: endpoint.id, callId: call.id };
      log.error({ err: error, ...ids }, 'webhook sender: a delivery could not be made');
      return NOT_MADE;
    }
  }

  return async function callAll(endpoint, isFailing) {
    const calls = await findDueCalls(db, endpoint);
    const events = await tryEvents(db, endpoint, calls);
    for (const [at, call] of calls.entries()) {
      const attempt =
        isClosing() || leases.haveLapsed() ? null : await attemptCall(endpoint, call, events[at]!);
      if (!attempt || !(await record(endpoint, call, attempt))) break;
      // The other calls continue in a place for failing endpoints.
      if (attempt.error !== null && !isFailing) break;
    }
    // An error on our side skips this. The lease then expires, which delays the next attempt.
    await giveBack(db, WEBHOOK_LEASES, leases.id, [{ team_id: endpoint.teamId, id: endpoint.id }]);
  };
}
