/** The other thread of receiver.ts: it accepts what it is given, and says of each what became of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { createDns } from '../mail/dns.ts';
import { rememberDns } from '../mail/remember-dns.ts';
import { openDatabase } from '../platform/database.ts';
import { acceptMail } from './accept-mail.ts';
import { isReply, toErrorReply } from './error-reply.ts';
import type { Given, Problem, ReceiverSettings, Said } from './receiver.ts';

/** A transaction for a team at a time, and another for its large messages. */
const CONNECTIONS = 4;

const { databaseUrl, dnsServers, ...facts } = workerData as ReceiverSettings;
// A connection that is lost shows in the statements that need it.
const database = openDatabase(databaseUrl, { connections: CONNECTIONS, onError: () => {} });
const tools = { ...facts, db: database.db, dns: rememberDns(createDns(dnsServers)) };
let said: Said[] = [];

parentPort!.on('message', (given: Given[] | 'close') => {
  if (given === 'close') void database.close().finally(() => process.exit());
  else for (const one of given) void accept(one);
});

async function accept({ no, raw, handover }: Given): Promise<void> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const problem = await acceptMail(tools, handover, bytes).then(() => null, describeProblem);
  // Those that share a transaction are told together.
  if (said.push({ no, problem }) === 1) setImmediate(tell);
}

function tell(): void {
  parentPort!.postMessage(said);
  said = [];
}

function describeProblem(error: Error & { code?: unknown }): Problem {
  const { responseCode, message: text } = isReply(error) ? error : toErrorReply(error);
  // Between threads an error loses all but its words.
  const { message, stack, code } = error;
  return { codes: String(responseCode), text, cause: isReply(error) ? null : { message, stack, code } };
}
