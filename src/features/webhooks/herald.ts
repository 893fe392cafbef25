/**
 * The herald: tells webhooks what happened. Endpoints are called side by side, each of them one call at a time and in
 * order as far as retries allow: a call that failed is made again by its own schedule, the next ones go on, and an
 * endpoint that keeps failing rests as a whole, so that no outage ends in a storm.
 *
 * Whatever is killed between a call and the note about it is called again, with the same `webhook-id`.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Seal } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import type { DatabaseClock } from '../../platform/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Presence } from '../../platform/presence.ts';
import { createSleeper } from '../../platform/sleeper.ts';
import {
  findDueCalls,
  findLeaseHolders,
  freeEndpoint,
  freeEndpoints,
  leaseEndpoints,
  recordAttempt,
  type DueCall,
  type Endpoint,
} from './claim.ts';
import type { Attempt, EndpointCaller } from './endpoint.ts';
import { toPayload } from './payload.ts';
import { sign } from './signature.ts';

const ENDPOINTS_AT_ONCE = 20;
/** What was announced is seen so soon without a hint: a notification from every announcement would cost far more. */
const LOOK_EVERY_MS = 500;
const UPKEEP_MS = 5_000;
const AFTER_ERROR_MS = 500;
/** At the end, calls on the way may still come back; then they are cut off and made again later. */
const GRACE_MS = 3_000;

export interface HeraldTools {
  db: Db;
  log: Log;
  presence: Presence;
  clock: DatabaseClock;
  endpoints: EndpointCaller;
  secrets: Seal;
}

export interface Herald {
  wake(): void;
  close(): Promise<void>;
}

export async function startHerald(tools: HeraldTools): Promise<Herald> {
  const { db, log, presence, endpoints } = tools;
  const id = randomUUID();
  const { sleep, wake } = createSleeper();
  const serving = new Set<Promise<void>>();
  const cutOff = new AbortController();
  let closing = false;
  const callAll = createCaller(tools, id, cutOff.signal, () => closing);

  async function work(): Promise<void> {
    while (!closing) {
      try {
        const room = ENDPOINTS_AT_ONCE - serving.size;
        const leased = room > 0 ? await leaseEndpoints(db, id, room) : [];
        for (const endpoint of leased) serve(endpoint);
        await sleep(LOOK_EVERY_MS);
      } catch (error) {
        log.error({ err: error }, 'herald: waiting calls cannot be read');
        await sleep(AFTER_ERROR_MS);
      }
    }
  }

  function serve(endpoint: Endpoint): void {
    const served = serveOne(endpoint).finally(() => {
      serving.delete(served);
      wake();
    });
    serving.add(served);
  }

  async function serveOne(endpoint: Endpoint): Promise<void> {
    try {
      await callAll(endpoint);
    } catch (error) {
      log.error({ err: error, webhookId: endpoint.id }, 'herald: calls broken off');
    }
  }

  async function takeOverFromTheDead(): Promise<void> {
    const dead = await presence.findDead(await findLeaseHolders(db));
    if (dead.length > 0) await freeEndpoints(db, dead);
  }

  async function upkeep(): Promise<void> {
    try {
      await presence.show([id]);
      await takeOverFromTheDead();
    } catch (error) {
      if (!closing) log.warn({ err: error }, 'herald: upkeep');
    }
  }

  await presence.show([id]);
  void upkeep();
  const timer = setInterval(() => void upkeep(), UPKEEP_MS);
  const working = work();
  return {
    wake,
    async close() {
      closing = true;
      wake();
      await working;
      const grace = setTimeout(() => cutOff.abort(), GRACE_MS);
      await Promise.all(serving);
      clearTimeout(grace);
      clearInterval(timer);
      await freeEndpoints(db, [id]);
      await endpoints.close();
    },
  };
}

/** Makes the due calls of one endpoint, one after the other, and records each attempt. */
function createCaller(
  { db, log, clock, endpoints, secrets }: HeraldTools,
  id: string,
  cutOff: AbortSignal,
  isClosing: () => boolean,
): (endpoint: Endpoint) => Promise<void> {
  function callOnce(endpoint: Endpoint, call: DueCall): Promise<Attempt | null> {
    const body = JSON.stringify(toPayload(call));
    const keys = [endpoint.secret, ...(endpoint.oldSecret ? [endpoint.oldSecret] : [])];
    const opened = keys.map((sealed) => secrets.open(sealed).toString());
    const headers = sign(opened, encodeId('evt', call.eventId), clock.now(), body);
    return endpoints.post(endpoint.url, { ...headers }, body, cutOff);
  }

  /** Tried until the database is back: what is not written down is told again. */
  async function record(endpoint: Endpoint, call: DueCall, attempt: Attempt): Promise<boolean> {
    for (;;) {
      try {
        return await recordAttempt(db, id, endpoint, call, attempt, clock.now());
      } catch (error) {
        log.error({ err: error }, 'herald: an attempt is not written down yet');
        if (isClosing()) return false;
        await wait(AFTER_ERROR_MS);
      }
    }
  }

  return async function callAll(endpoint: Endpoint): Promise<void> {
    for (const call of await findDueCalls(db, endpoint)) {
      const attempt = isClosing() ? null : await callOnce(endpoint, call);
      if (!attempt || !(await record(endpoint, call, attempt))) break;
    }
    // Not after an error on our side: the rest of the lease keeps it from coming back at once.
    await freeEndpoint(db, id, endpoint);
  };
}
