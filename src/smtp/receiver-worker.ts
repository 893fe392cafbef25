/** The worker thread of receiver.ts. It accepts messages and replies with the outcome of each. */
import { parentPort, workerData } from 'node:worker_threads';
import { createSenderCheck } from '../mail/auth/check-sender.ts';
import { createDns } from '../mail/auth/dns.ts';
import { cacheDns } from '../mail/auth/cached-dns.ts';
import { onThreadTrouble } from '../mail/offload/thread-trouble.ts';
import { createBudget } from '../platform/memory/budget.ts';
import { AppError } from '../platform/errors.ts';
import { isDiskFull } from '../platform/database/database-errors.ts';
import { openDatabase } from '../platform/database/database.ts';
import { useObjectStore } from '../platform/object-store/object-store-of.ts';
import { createS3Store } from '../platform/object-store/s3-store.ts';
import { createWordHasher } from '../features/mailboxes/spam/words.ts';
import { createRspamd, type RspamdState } from '../mail/spam/rspamd.ts';
import { acceptMail } from './accept-mail.ts';
import { isReply, toErrorReply } from './protocol/error-reply.ts';
import type {
  DiskFullNotice,
  Problem,
  ReceiverJob,
  ReceiverNotice,
  ReceiverReply,
  ReceiverSettings,
  SpamFilterNotice,
  StoreNotice,
  StrayError,
  UnscoredMessage,
} from './receiver.ts';

const { databaseUrl, isPooled, databaseConnections, objectStore, dnsServers, workBytes, ...others } =
  workerData as ReceiverSettings;
const { rspamdUrl, blocklistZones, secret, ...facts } = others;
// The statements that use a lost connection report its error.
const database = openDatabase(databaseUrl, {
  connections: databaseConnections,
  isPooled,
  onError: () => {},
  onDiskFull: () => parentPort!.postMessage({ isDiskFull: true } satisfies DiskFullNotice),
});
useObjectStore(
  database.pool,
  objectStore &&
    createS3Store(objectStore, {
      onRequest: (...request) => tellOfStore({ request }),
      onLost: (...loss) => tellOfStore({ loss }),
    }),
);
const dns = cacheDns(createDns(dnsServers));
const spam = {
  dns,
  rspamd: rspamdUrl === null ? null : createRspamd(rspamdUrl, tellSpamFilter),
  blocklistZones,
  hashWords: createWordHasher(Buffer.from(secret)),
  onError: (error: unknown) =>
    parentPort!.postMessage({ unscored: describeCause(error) } satisfies UnscoredMessage),
};
const checkSender = createSenderCheck(dns);
const tools = { ...facts, db: database.db, checkSender, spam, withinBudget: createBudget(workBytes) };
let replies: ReceiverReply[] = [];

// An uncaught error belongs to one message. The others continue, and the parent defers that one when it times out.
process.on('uncaughtException', (error: unknown) => {
  parentPort!.postMessage({ stray: describeCause(error) } satisfies StrayError);
});
onThreadTrouble((trouble) => parentPort!.postMessage({ trouble } satisfies ReceiverNotice));
parentPort!.on('message', (message: ReceiverJob[] | 'close' | 'ping') => {
  if (message === 'ping') sendReplies();
  else if (message === 'close') void database.close().finally(() => process.exit());
  else for (const job of message) void accept(job);
});

function tellOfStore(storeReport: StoreNotice['storeReport']): void {
  parentPort!.postMessage({ storeReport } satisfies StoreNotice);
}

function tellSpamFilter(state: RspamdState): void {
  parentPort!.postMessage({ spamFilter: state } satisfies SpamFilterNotice);
}

async function accept({ no, raw, transaction }: ReceiverJob): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const outcome = await acceptMail(tools, transaction, bytes).then(
    (folder) => ({ folder, problem: null }),
    (error: UnexpectedError) => ({ folder: null, problem: describeProblem(error) }),
  );
  // Messages that were stored in one database transaction are reported together.
  if (replies.push({ no, ...outcome }) === 1) setImmediate(sendReplies);
}

/** Replies to a ping even if there are no outcomes to report. */
function sendReplies(): void {
  parentPort!.postMessage(replies);
  replies = [];
}

interface UnexpectedError extends Error {
  code?: string;
  detail?: string;
  constraint?: string;
}

function describeProblem(error: UnexpectedError): Problem {
  const { responseCode, message: text } = isReply(error) ? error : toErrorReply(error);
  // A full disk and a store that is away are logged once, by the parent.
  const isExpected = isReply(error) || isDiskFull(error) || (error instanceof AppError && error.isReported);
  return { codes: String(responseCode), text, cause: isExpected ? null : describeCause(error) };
}

/** Errors that are posted to another thread lose PostgreSQL's additional fields, so they are copied. */
function describeCause(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, code, detail, constraint, cause } = error as UnexpectedError;
  const reason = cause instanceof Error ? cause.message : undefined;
  return { type: name, message, stack, code, detail, constraint, reason };
}
