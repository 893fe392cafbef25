/**
 * Reports relays that cannot be reached or reject our password, in the log and in the table of failures.
 * - Each process logs a change once: a relay fails, fails for another reason, or works again.
 * - While a relay fails, it is tried once a minute without a message, so that the failure ends soon after the operator
 *   has corrected it, even if no mail is due. A failure at MAIL can only be tried with a message.
 */
import { describeReply, type SmtpFailure } from '../../../mail/smtp/failure.ts';
import type { OpenResult } from '../../../mail/smtp/client.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Log } from '../../../platform/log.ts';
import {
  deleteOldRelayFailures,
  deleteRelayFailure,
  findRelayFailures,
  saveRelayFailure,
  type FailingRelay,
} from './relay-failures.ts';

const PROBE_MS = 60_000;
/** The reason is text from the relay, which may be long. */
const MAX_REASON = 300;

export interface WatchedRelay extends FailingRelay {
  open(): Promise<OpenResult>;
}

export interface RelayHealth {
  failed(relay: WatchedRelay, failure: SmtpFailure): void;
  worked(relay: WatchedRelay): void;
  close(): Promise<void>;
}

/** The failure of a relay as last seen by this process. */
interface SeenFailure {
  /** The stage and code of the failure, which identify a change. The text may differ in every reply. */
  kind: string;
  reason: string;
  canProbe: boolean;
}

export function watchRelays(db: Db, log: Log, relays: WatchedRelay[], probeMs = PROBE_MS): RelayHealth {
  const failures = new Map<string, SeenFailure>();
  let writing: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** Writes in the order of the changes. A failed write is retried with the next probe. */
  function write(change: () => Promise<void>): void {
    writing = writing
      .then(change)
      .catch((error: unknown) => log.warn({ err: error }, 'relay: the state of a relay was not stored'));
  }

  function failed(relay: WatchedRelay, failure: SmtpFailure): void {
    if (isClosed) return;
    const reason = describeFailure(failure);
    const kind = `${failure.stage} ${failure.reply?.code ?? ''}`;
    const isChange = failures.get(relay.relay)?.kind !== kind;
    failures.set(relay.relay, { kind, reason, canProbe: failure.stage !== 'mail' });
    if (!isChange) return;
    const { relay: url, regions } = relay;
    log.warn(
      { relay: url, regions, stage: failure.stage, reason },
      'relay: does not accept mail; mail is kept and retried',
    );
    write(() => saveRelayFailure(db, relay, reason));
  }

  function worked(relay: WatchedRelay): void {
    if (!failures.delete(relay.relay)) return;
    log.info({ relay: relay.relay }, 'relay: works again');
    write(() => deleteRelayFailure(db, relay.relay));
  }

  async function probe(relay: WatchedRelay, { canProbe, reason }: SeenFailure): Promise<void> {
    // Writing the failure again keeps it up to date.
    write(() => saveRelayFailure(db, relay, reason));
    if (!canProbe) return;
    const { session, failure } = await relay.open();
    if (failure) return failed(relay, failure);
    await session.close();
    worked(relay);
  }

  async function probeFailing(): Promise<void> {
    for (const relay of relays) {
      const seen = failures.get(relay.relay);
      if (seen && !isClosed) await probe(relay, seen);
    }
  }

  /** Another process, or this one before a restart, may have recorded failures that are now corrected. */
  async function continueFailures(): Promise<void> {
    await deleteOldRelayFailures(db);
    const earlier = await findRelayFailures(db, null);
    for (const { relay, reason } of earlier) {
      if (!failures.has(relay)) failures.set(relay, { kind: 'earlier', reason, canProbe: true });
    }
    await probeFailing();
  }

  function logUnexpected(error: unknown): void {
    if (!isClosed) log.warn({ err: error }, 'relay: a failing relay was not tried again');
  }

  continueFailures().catch(logUnexpected);
  const timer = setInterval(() => void probeFailing().catch(logUnexpected), probeMs);
  return {
    failed,
    worked,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await writing;
    },
  };
}

function describeFailure({ reply, cause }: SmtpFailure): string {
  return (reply ? describeReply(reply) : cause).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON);
}
