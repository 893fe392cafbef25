/** The other thread of receiver.ts: it accepts what it is given, and says of each what became of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { createSenderCheck } from '../mail/check-sender.ts';
import { createDns } from '../mail/dns.ts';
import { rememberDns } from '../mail/remember-dns.ts';
import { openDatabase } from '../platform/database.ts';
import { acceptMail } from './accept-mail.ts';
import { isReply, toErrorReply } from './error-reply.ts';
import type { Given, Problem, ReceiverSettings, Said, Stray } from './receiver.ts';

const { databaseUrl, databaseConnections, dnsServers, ...facts } = workerData as ReceiverSettings;
// A connection that is lost shows in the statements that need it.
const database = openDatabase(databaseUrl, { connections: databaseConnections, onError: () => {} });
const checkSender = createSenderCheck(rememberDns(createDns(dnsServers)));
const tools = { ...facts, db: database.db, checkSender };
let said: Said[] = [];

// An error that no code caught belongs to one message. The others go on, and the parent puts that one off.
process.on('uncaughtException', (error: unknown) => {
  parentPort!.postMessage({ stray: describeCause(error) } satisfies Stray);
});
parentPort!.on('message', (given: Given[] | 'close' | 'are you there') => {
  if (given === 'are you there') tell();
  else if (given === 'close') void database.close().finally(() => process.exit());
  else for (const one of given) void accept(one);
});

async function accept({ no, raw, handover }: Given): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const problem = await acceptMail(tools, handover, bytes).then(() => null, describeProblem);
  // Those that share a transaction are told together.
  if (said.push({ no, problem }) === 1) setImmediate(tell);
}

/** Nothing too, for who asks whether we are there. */
function tell(): void {
  parentPort!.postMessage(said);
  said = [];
}

interface Unforeseen extends Error {
  code?: string;
  detail?: string;
  constraint?: string;
}

function describeProblem(error: Unforeseen): Problem {
  const { responseCode, message: text } = isReply(error) ? error : toErrorReply(error);
  return { codes: String(responseCode), text, cause: isReply(error) ? null : describeCause(error) };
}

/** On its way between threads an error would lose what PostgreSQL says of it. */
function describeCause(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, code, detail, constraint } = error as Unforeseen;
  return { type: name, message, stack, code, detail, constraint };
}
