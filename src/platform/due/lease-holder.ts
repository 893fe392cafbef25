/**
 * The leases of one process (due.ts). Every few seconds it renews them together, shows that the process is alive, and
 * frees the leases of processes that have died. A process that stood still for too long begins nothing of what it had
 * leased, because others may have taken it over.
 */
import { randomUUID } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../database/database.ts';
import type { Presence } from '../database/presence.ts';
import type { Log } from '../log.ts';
import { findHolders, freeLeases, renewLeases, type LeasedTable } from './due.ts';
import { beginClaim, countsFrom, endClaim, hasLapsed, readClocks, type RenewalState } from './lease-state.ts';

const UPKEEP_MS = 5_000;

/** What a part of the process leases. */
interface HeldLeases<Key extends string = string> {
  table: LeasedTable<Key>;
  /** Lists the rows that this process has claimed and not finished. */
  listKnown(): Record<Key, unknown>[];
  /** The leases may have ended. Nothing more of what was claimed before may begin. */
  onLapse?(): void;
  onRenewed?(): Promise<void>;
  /** Leases of others were freed, so there may be something to claim. */
  onFreed?(): void;
}

export interface LeaseHolder {
  /** The ID of this process in `leased_by`. */
  readonly id: string;
  /** Begins to renew leases. Call it before the first claim. The result ends it. */
  hold<Key extends string>(leases: HeldLeases<Key>): () => void;
  /** True when another process may have taken over what was claimed. */
  haveLapsed(): boolean;
  /** Runs a claim, so that renewals take it into account. */
  claim<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Renews everything now. It is called when the leases have lapsed. */
  renew(): Promise<void>;
  /** Resolves when no renewal is running, so that all rows can be given back. */
  waitForRenewal(): Promise<void>;
  /** The process stays visible as long as its presence does, so that nobody frees what it still does. */
  close(): void;
}

interface HolderTools {
  db: Db;
  log: Log;
  presence: Presence;
  registry: Registry;
  upkeepMs?: number;
}

export async function startLeaseHolder(tools: HolderTools): Promise<LeaseHolder> {
  const { db, log, presence } = tools;
  const id = randomUUID();
  const held = new Set<HeldLeases>();
  const metrics = createLeaseMetrics(tools.registry, held);
  const renewal = createRenewal(db, id, held);
  let isClosing = false;
  let isFreeing = false;

  async function upkeep(): Promise<void> {
    try {
      if (renewal.haveLapsed()) {
        metrics.lapses.inc();
        for (const { onLapse } of held) onLapse?.();
      }
      await renewal.renew();
      await presence.show([id]);
      if (!isFreeing) await freeLeasesOfDead();
    } catch (error) {
      if (!isClosing) log.warn({ err: error }, 'leases: upkeep failed');
    }
  }

  /** Takes seconds when a process is dead. Renewals do not wait for it. */
  async function freeLeasesOfDead(): Promise<void> {
    isFreeing = true;
    try {
      const holders = await findHolders(db, tablesOf(held));
      const dead = await presence.findDead(holders.filter((holder) => holder !== id));
      for (const { table, onFreed } of dead.length > 0 ? held : []) {
        const count = await freeLeases(db, table, dead);
        if (count === 0) continue;
        metrics.freed.inc({ table: table.name }, count);
        log.warn({ table: table.name, rows: count }, 'leases: the work of a process that has ended is freed');
        onFreed?.();
      }
    } finally {
      isFreeing = false;
    }
  }

  await presence.show([id]);
  void upkeep();
  const timer = setInterval(() => void upkeep(), tools.upkeepMs ?? UPKEEP_MS);
  return {
    id,
    ...renewal,
    hold(leases) {
      const one = leases as unknown as HeldLeases;
      held.add(one);
      return () => void held.delete(one);
    },
    close() {
      isClosing = true;
      clearInterval(timer);
    },
  };
}

type Renewal = Pick<LeaseHolder, 'haveLapsed' | 'claim' | 'renew' | 'waitForRenewal'>;

function createRenewal(db: Db, id: string, held: ReadonlySet<HeldLeases>): Renewal {
  let state: RenewalState = { renewedAt: readClocks(), claims: [] };
  let renewing: Promise<void> = Promise.resolve();

  async function renewAll(): Promise<void> {
    const begunAt = countsFrom(state, readClocks());
    for (const { table, listKnown, onRenewed } of held) {
      await renewLeases(db, table, id, listKnown());
      await onRenewed?.();
    }
    state = { ...state, renewedAt: begunAt };
  }

  return {
    haveLapsed: () => hasLapsed(state.renewedAt, readClocks()),
    async claim(work) {
      const begunAt = readClocks();
      state = beginClaim(state, begunAt);
      try {
        return await work();
      } finally {
        state = endClaim(state, begunAt);
      }
    },
    renew() {
      renewing = renewing.catch(() => {}).then(renewAll);
      return renewing;
    },
    waitForRenewal: () => renewing.catch(() => {}),
  };
}

function tablesOf(held: ReadonlySet<HeldLeases>): LeasedTable[] {
  return [...held].map(({ table }) => table);
}

function createLeaseMetrics(registry: Registry, held: ReadonlySet<HeldLeases>) {
  registry.registerMetric(
    new Gauge({
      name: 'posthorn_leases',
      help: 'What this process has leased, by table',
      labelNames: ['table'],
      registers: [],
      collect() {
        this.reset();
        for (const { table, listKnown } of held) this.inc({ table: table.name }, listKnown().length);
      },
    }),
  );
  return {
    freed: new Counter({
      name: 'posthorn_leases_freed_total',
      help: 'Leases of processes that have ended, freed by this process, by table',
      labelNames: ['table'],
      registers: [registry],
    }),
    lapses: new Counter({
      name: 'posthorn_leases_lapsed_total',
      help: 'How often this process stood still for so long that its leases may have ended',
      registers: [registry],
    }),
  };
}
