/**
 * The courier: takes what is due from the queue to the wire, and writes down what came of it.
 *
 * Between a letter's first byte and its committed outcome stand never more than ON_WIRE letters of this process: that
 * is what can go out twice after a `kill -9`. More are claimed ahead, so that the wire never waits for the database;
 * those have not begun and are simply taken over. Outcomes are written in small batches, each in one transaction.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../../platform/database.ts';
import type { DatabaseClock } from '../../platform/database-clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Presence } from '../../platform/presence.ts';
import { createSleeper } from '../../platform/sleeper.ts';
import type { CampaignLetters } from '../campaigns/letters.ts';
import { releaseDueEmails } from '../emails/release.ts';
import { isSuppressed } from '../suppressions/suppressions.ts';
import type { Attempt, Withheld } from './attempt.ts';
import {
  claimDeliveries,
  findLeaseHolders,
  freeLeases,
  isUrgent,
  LEASE_SECONDS,
  renewLeases,
  untilNextDelivery,
  type Parcel,
} from './claim.ts';
import { keepOutcomes } from './keep-outcomes.ts';
import type { Outcome } from './outcomes.ts';
import { createReach } from './reach.ts';
import { createSatchel, isOfCampaign, type ReadyParcel } from './satchel.ts';
import type { LetterSealer } from './seal-letter.ts';
import type { Transport } from './transport.ts';

const ON_WIRE = 50;
/** Of those, so many are for urgent letters alone: slow servers cannot occupy all of them with bulk. */
const ON_WIRE_FOR_URGENT = 10;
/** So many urgent letters are claimed while there is no room for others. */
const URGENT_AHEAD = 50;
/** With this much of messages in hand nothing more is claimed. */
const CLAIMED_BYTES = 32 * 1024 * 1024;
/** Two batches at the database leave room for ten letters on the wire. */
const OUTCOME_BATCH = 20;
const WRITERS = 2;
/** So long a batch may wait to become full; a small one costs the database almost as much as a full one. */
const OUTCOME_WAIT_MS = 10;
const UPKEEP_MS = 5_000;
/** So long before the end of its lease a letter is not begun any more. */
const LEASE_MARGIN_SECONDS = 3;
/** A hint to wake up may get lost; nothing waits longer than this for it. */
const LONGEST_SLEEP_MS = 5_000;
const SHORTEST_SLEEP_MS = 10;
/** While some have to wait for a full or resting server, it is looked at again so often. */
const CLOSED_SLEEP_MS = 250;
const AFTER_ERROR_MS = 500;

export interface CourierTools {
  db: Db;
  log: Log;
  presence: Presence;
  clock: DatabaseClock;
  sealer: LetterSealer;
  transport: Transport;
  letters: CampaignLetters;
}

export interface Courier {
  wake(): void;
  /** A campaign came into another state: what is claimed of one that must wait is not begun any more. */
  campaignChanged(campaignId: string, status: string): void;
  /** Changes may have gone unheard. */
  reloadCampaigns(): void;
  /** Finishes what is on the wire, gives back what was only claimed. */
  close(): Promise<void>;
}

export async function startCourier(tools: CourierTools): Promise<Courier> {
  const { db, log, presence, clock, sealer, transport, letters } = tools;
  const id = randomUUID();
  const { sleep, wake } = createSleeper();
  const satchel = createSatchel(db, id, letters, wake);
  const reach = createReach();
  const outcomes: Outcome[] = [];
  let onWire = 0;
  let bytesInHand = 0;
  let writing = 0;
  let writers = 0;
  let batchTimer: NodeJS.Timeout | null = null;
  let closing = false;
  let renewedAt = readClocks();
  let renewing = Promise.resolve();

  /** Of what runs beside the loop and handles its own failures: the loop goes on. */
  function logUnexpected(error: unknown): void {
    log.error({ err: error }, 'courier: an unexpected error');
    wake();
  }

  function hasLapsed(): boolean {
    return passedMs(renewedAt) >= (LEASE_SECONDS - LEASE_MARGIN_SECONDS) * 1000;
  }

  /** Whoever stood still for so long, or was without the database, may find his letters with somebody else. */
  function putBackIfLapsed(): void {
    if (!hasLapsed()) return;
    for (const parcel of satchel.putBackAll()) bytesInHand -= sizeOf(parcel);
  }

  function fillWire(): void {
    putBackIfLapsed();
    while (!closing && onWire < ON_WIRE) {
      const closed = transport.closedTo({ isUrgent: false });
      const closedToUrgent = transport.closedTo({ isUrgent: true });
      if (closed === 'all' || closedToUrgent === 'all') return;
      // Those that wait to be written down make room soon; those with a slow server may not.
      const takesBulk = onWire - writing - outcomes.length < ON_WIRE - ON_WIRE_FOR_URGENT;
      const parcel = satchel.next((one) =>
        isUrgent(one)
          ? !closedToUrgent.includes(one.recipientDomain)
          : takesBulk && !closed.includes(one.recipientDomain),
      );
      if (!parcel) return;
      onWire += 1;
      reach.begun();
      deliver(parcel).catch(logUnexpected);
    }
  }

  /** Null: not now, it goes back into the queue. */
  async function attemptDelivery(parcel: ReadyParcel): Promise<Attempt | Withheld | null> {
    const ofCampaign = isOfCampaign(parcel) ? parcel : null;
    // Between two tries lie hours, in which somebody may complain. Of campaigns the satchel asks each time.
    const isRetry = !ofCampaign && parcel.attempts > 0;
    if (isRetry && (await isSuppressed(db, parcel.teamId, parcel.recipient)))
      return { outcome: 'suppressed', reply: null, reason: 'Suppressed since the last attempt.' };
    const raw = ofCampaign ? await letters.render(ofCampaign, parcel.recipientOf!) : parcel.raw;
    const letter = raw && (await sealer.seal(parcel, raw));
    if (ofCampaign) {
      if (raw && !letter) await letters.pause(ofCampaign, 'Its domain was deleted.');
      if (!letter || satchel.isHeld(ofCampaign)) return null;
    }
    if (!letter)
      return { outcome: 'bounced', reply: null, reason: 'The sending domain was deleted.', suppress: false };
    const attempt = await transport.attempt(letter, () => !closing && !satchel.isHeld(parcel));
    if (ofCampaign && attempt) noteOutcome(ofCampaign, attempt);
    return attempt;
  }

  function noteOutcome(parcel: ReadyParcel & { campaignId: string }, { outcome }: Attempt): void {
    letters
      .noteOutcome(parcel, outcome)
      .catch((error: unknown) => log.error({ err: error }, 'courier: a failing campaign is not paused yet'));
  }

  async function deliver(parcel: ReadyParcel): Promise<void> {
    let attempt: Outcome['attempt'];
    try {
      const made = await attemptDelivery(parcel);
      if (made === null) {
        onWire -= 1;
        bytesInHand -= sizeOf(parcel);
        satchel.putBack(parcel);
        return;
      }
      attempt = made;
    } catch (error) {
      log.error({ err: error, emailId: parcel.emailId }, 'courier: an attempt failed on our side');
      attempt = {
        outcome: 'deferred',
        reply: null,
        reason: 'Something went wrong on our side.',
        wholeSession: false,
      };
    }
    outcomes.push({ parcel, attempt, at: clock.now() });
    writeBatch();
  }

  /** When it is full, or when no more will come soon. */
  function writeBatch(): void {
    if (outcomes.length === 0 || writers === WRITERS) return;
    const isLast = outcomes.length === onWire - writing;
    if (isLast || outcomes.length >= OUTCOME_BATCH) writeOutcomes().catch(logUnexpected);
    else batchTimer ??= setTimeout(() => void writeOutcomes().catch(logUnexpected), OUTCOME_WAIT_MS);
  }

  async function writeOutcomes(): Promise<void> {
    if (batchTimer) clearTimeout(batchTimer);
    batchTimer = null;
    const batch = outcomes.splice(0, OUTCOME_BATCH);
    writers += 1;
    writing += batch.length;
    try {
      await keepOutcomes(db, log, batch);
    } finally {
      writers -= 1;
      writing -= batch.length;
      onWire -= batch.length;
      for (const { parcel } of batch) bytesInHand -= sizeOf(parcel);
    }
    fillWire();
    if (satchel.size() < reach.ahead() / 2) wake();
    writeBatch();
  }

  async function work(): Promise<void> {
    while (!closing) {
      try {
        if (hasLapsed()) await keepLeases();
        await satchel.sortOut();
        const { released, nextInMs } = await releaseDueEmails(db);
        const closed = transport.closedTo({ isUrgent: false });
        const isFull = closed === 'all' || bytesInHand > CLAIMED_BYTES;
        const ahead = reach.ahead();
        const room = isFull ? 0 : ahead - satchel.size();
        const urgentOnly = room < ahead / 2;
        const urgentRoom = isFull ? 0 : Math.max(0, URGENT_AHEAD - satchel.urgentSize());
        const wanted = urgentOnly ? urgentRoom : room;
        const exceptForUrgent = transport.closedTo({ isUrgent: true }) as string[];
        const from = { urgentOnly, except: closed as string[], exceptForUrgent };
        const parcels = wanted > 0 ? await claimDeliveries(db, id, wanted, from) : [];
        for (const parcel of parcels) bytesInHand += sizeOf(parcel);
        satchel.add(parcels);
        await satchel.sortOut();
        fillWire();
        const isMoreDue = released > 0 || (wanted > 0 && parcels.length === wanted);
        if (!isMoreDue) await sleep(isFull || closed.length > 0 ? CLOSED_SLEEP_MS : await restFor(nextInMs));
      } catch (error) {
        log.error({ err: error }, 'courier: the queue cannot be read');
        await sleep(AFTER_ERROR_MS);
      }
    }
  }

  async function restFor(nextEmailMs: number | null): Promise<number> {
    const nextDeliveryMs = satchel.size() > 0 ? null : await untilNextDelivery(db);
    const nextMs = Math.min(LONGEST_SLEEP_MS, nextEmailMs ?? Infinity, nextDeliveryMs ?? Infinity);
    // Something that is due may be in the hands of another courier.
    return Math.max(SHORTEST_SLEEP_MS, nextMs);
  }

  async function takeOverFromTheDead(): Promise<void> {
    const dead = await presence.findDead(await findLeaseHolders(db));
    if (dead.length === 0) return;
    await freeLeases(db, dead);
    wake();
  }

  async function keepLeases(): Promise<void> {
    putBackIfLapsed();
    const begunAt = readClocks();
    renewing = renewLeases(db, id);
    await renewing;
    renewedAt = begunAt;
  }

  async function upkeep(): Promise<void> {
    try {
      await keepLeases();
      await presence.show([id]);
      await satchel.reloadCampaigns();
      await takeOverFromTheDead();
    } catch (error) {
      if (!closing) log.warn({ err: error }, 'courier: upkeep');
    }
  }

  await presence.show([id]);
  await satchel.reloadCampaigns();
  void upkeep();
  const timer = setInterval(() => void upkeep(), UPKEEP_MS);
  const working = work();
  return {
    wake,
    campaignChanged(campaignId, status) {
      satchel.campaignChanged(campaignId, status);
      wake();
    },
    reloadCampaigns: () =>
      void satchel
        .reloadCampaigns()
        .catch((error: unknown) => log.warn({ err: error }, 'courier: held campaigns')),
    async close() {
      closing = true;
      wake();
      await working;
      while (onWire > 0) await wait(OUTCOME_WAIT_MS);
      clearInterval(timer);
      // It holds the locks of leases, which freeing them would skip.
      await renewing.catch(() => {});
      await freeLeases(db, [id]);
      await transport.close();
    },
  };
}

/** The one stands still while the machine sleeps, the other can be set back: the longer time counts. */
interface Clocks {
  monotonicMs: number;
  wallMs: number;
}

function readClocks(): Clocks {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

function passedMs(since: Clocks): number {
  const now = readClocks();
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

/** A campaign's letter is made when it is sent. */
function sizeOf({ raw }: Parcel): number {
  return raw?.length ?? 0;
}
