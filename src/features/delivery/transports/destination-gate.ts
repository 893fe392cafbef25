/**
 * Decides whether this process may open a connection to one destination, whose connections all processes share. When
 * other processes have all of them, the gate is closed: this process claims no mail for the destination, and asks again
 * once a second. A slot that it gets this way is kept for the next connection for a few seconds.
 */
import type { DestinationSlots, Slot } from './destination-slots.ts';

const ASK_AGAIN_MS = 1_000;
const KEEP_MS = 5_000;

export interface DestinationGate {
  /** Returns null when other processes have all connections. */
  enter(isUrgent: boolean): Promise<Slot | null>;
  /** Closes the gate: this process has no connection, and cannot get one. */
  shut(isUrgent: boolean): void;
  isShut(isUrgent: boolean): boolean;
  close(): void;
}

function kindOf(isUrgent: boolean): 'urgent' | 'bulk' {
  return isUrgent ? 'urgent' : 'bulk';
}

export function createDestinationGate(
  slots: DestinationSlots,
  destination: string,
  mostFor: (isUrgent: boolean) => number,
): DestinationGate {
  /** When to ask again. Null while the gate is open. Some slots are only for urgent mail. */
  const askAtMs: Record<'urgent' | 'bulk', number | null> = { urgent: null, bulk: null };
  let isAsking = false;
  let kept: { slot: Slot; timer: NodeJS.Timeout } | null = null;

  function takeKept(): Slot | null {
    if (!kept) return null;
    const { slot, timer } = kept;
    clearTimeout(timer);
    kept = null;
    return slot;
  }

  function keep(slot: Slot): void {
    const timer = setTimeout(() => {
      kept = null;
      slots.release(slot);
    }, KEEP_MS).unref();
    kept = { slot, timer };
  }

  async function ask(isUrgent: boolean): Promise<void> {
    isAsking = true;
    const slot = await slots.acquire(destination, mostFor(isUrgent));
    isAsking = false;
    if (slot) {
      askAtMs.urgent = null;
      askAtMs.bulk = null;
      keep(slot);
    } else askAtMs[kindOf(isUrgent)] = performance.now() + ASK_AGAIN_MS;
  }

  return {
    enter: async (isUrgent) => takeKept() ?? (await slots.acquire(destination, mostFor(isUrgent))),
    shut(isUrgent) {
      askAtMs[kindOf(isUrgent)] = performance.now() + ASK_AGAIN_MS;
      if (isUrgent) askAtMs.bulk ??= askAtMs.urgent;
    },
    isShut(isUrgent) {
      const atMs = askAtMs[kindOf(isUrgent)];
      if (atMs !== null && atMs <= performance.now() && !isAsking && !kept) void ask(isUrgent);
      return askAtMs[kindOf(isUrgent)] !== null;
    },
    close() {
      const slot = takeKept();
      if (slot) slots.release(slot);
    },
  };
}
