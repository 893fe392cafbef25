/**
 * A share of the memory budget for bodies and messages that arrive.
 * - A reservation begins when the first bytes have arrived, so a silent client reserves nothing. It is made for the
 *   whole declared size: if several bodies had to wait for more memory half-way, none of them could continue. When
 *   the size is not declared, the reservation grows with the bytes, and fails immediately if there is no space, for
 *   the same reason.
 * - Without space a client waits, up to 30 seconds. Clients take turns, so one with many connections delays only
 *   itself. The next body waits until it fits; smaller ones do not overtake it, because it could then wait forever.
 * - While others wait, a reservation is dropped when its client sends nothing for 3 seconds, or so slowly that the
 *   whole body would take more than 20 seconds.
 * - A body that is larger than the share is allowed while nothing else uses the share.
 */

const SILENT_MS = 3_000;
const ARRIVAL_MS = 20_000;
/** Longer than ARRIVAL_MS, so that slow clients give way to waiting ones. */
const LONGEST_WAIT_MS = 30_000;
const CHECK_MS = 1_000;

export interface Reservation {
  /** Adds bytes. Returns false if there is no space. */
  grow(bytes: number): boolean;
  /** Records the arrival of bytes. */
  receive(bytes: number): void;
  /** Records that all bytes have arrived. The reservation is no longer dropped for others. */
  arrived(): void;
  release(): void;
}

export interface MemoryShare {
  /**
   * Resolves to null if there is no space in time. Waiting clients take turns by the name `client`. `onDrop` is
   * called when the reservation is given to others because the bytes arrive too slowly.
   */
  reserve(client: string, bytes: number, onDrop: () => void): Promise<Reservation | null>;
  /** For bytes that we made ourselves. Returns null if there is no space now. */
  reserveNow(bytes: number): Reservation | null;
}

interface Held {
  bytes: number;
  received: number;
  sinceMs: number;
  lastMs: number;
  hasArrived: boolean;
  onDrop(): void;
}

interface Waiting {
  bytes: number;
  untilMs: number;
  onDrop(): void;
  resolve(reservation: Reservation | null): void;
}

/** Keeps track of the reserved bytes. `onRelease` is called when some of them are free again. */
function createReservations(totalBytes: number, now: () => number, onRelease: () => void) {
  let used = 0;
  const held = new Set<Held>();

  function remove(one: Held): boolean {
    if (!held.delete(one)) return false;
    used -= one.bytes;
    return true;
  }

  /**
   * Drops slow reservations until the bytes fit. Returns whether they do. `ownBytes` belong to the reservation that
   * grows.
   */
  function makeSpace(bytes: number, ownBytes = 0): boolean {
    const fits = () => used === ownBytes || used + bytes <= totalBytes;
    for (const one of held) {
      if (fits()) return true;
      if (isTooSlow(one, now()) && remove(one)) one.onDrop();
    }
    return fits();
  }

  function add(bytes: number, onDrop: () => void): Reservation {
    const one: Held = { bytes, received: 0, sinceMs: now(), lastMs: now(), hasArrived: false, onDrop };
    held.add(one);
    used += bytes;
    return {
      grow(more) {
        if (!held.has(one) || !makeSpace(more, one.bytes) || !held.has(one)) return false;
        one.bytes += more;
        used += more;
        return true;
      },
      receive(arrived) {
        one.received += arrived;
        one.lastMs = now();
      },
      arrived: () => void (one.hasArrived = true),
      release() {
        if (remove(one)) onRelease();
      },
    };
  }

  return { makeSpace, add };
}

export function createMemoryShare(totalBytes: number, now: () => number = Date.now): MemoryShare {
  const { makeSpace, add } = createReservations(totalBytes, now, startWaiting);
  /** By client, in round-robin order: the next client is first. */
  const waiting = new Map<string, Waiting[]>();
  let timer: NodeJS.Timeout | undefined;

  function startNext(): void {
    // A client that is deleted and set again moves to the end, and this loop reaches it again.
    for (const [client, line] of waiting) {
      const { bytes, onDrop, resolve } = line[0]!;
      if (!makeSpace(bytes)) return;
      waiting.delete(client);
      if (line.length > 1) waiting.set(client, line.slice(1));
      resolve(add(bytes, onDrop));
    }
  }

  /** Returns whether there were late ones. */
  function refuseLate(): boolean {
    let hasRefused = false;
    for (const [client, line] of waiting) {
      const late = line.filter(({ untilMs }) => now() >= untilMs);
      if (late.length === 0) continue;
      hasRefused = true;
      const left = line.slice(late.length);
      // Keeps the turn of the client.
      if (left.length > 0) waiting.set(client, left);
      else waiting.delete(client);
      for (const { resolve } of late) resolve(null);
    }
    return hasRefused;
  }

  function startWaiting(): void {
    startNext();
    if (refuseLate()) startNext();
    if (waiting.size > 0) timer ??= setInterval(startWaiting, CHECK_MS);
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  return {
    reserve: (client, bytes, onDrop) =>
      new Promise((resolve) => {
        const one = { bytes, untilMs: now() + LONGEST_WAIT_MS, onDrop, resolve };
        waiting.set(client, [...(waiting.get(client) ?? []), one]);
        startWaiting();
      }),
    reserveNow(bytes) {
      if (!makeSpace(bytes)) return null;
      const reservation = add(bytes, () => {});
      reservation.arrived();
      return reservation;
    },
  };
}

function isTooSlow({ bytes, received, sinceMs, lastMs, hasArrived }: Held, nowMs: number): boolean {
  if (hasArrived) return false;
  const elapsedMs = nowMs - sinceMs;
  const isBehind = received / bytes < elapsedMs / ARRIVAL_MS;
  return nowMs - lastMs >= SILENT_MS || (elapsedMs >= SILENT_MS && isBehind);
}
