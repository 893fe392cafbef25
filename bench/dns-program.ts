/** A resolver that answers every query immediately: with the records of the query, or with "no such name". */
import { startDnsServer, type DnsRecords } from '../src/testing/dns-server.ts';
import { answerQuestions } from './forked.ts';

const server = await startDnsServer();
answerQuestions(async (question) => {
  Object.assign(server.zone, (question as { zone?: Record<string, DnsRecords> }).zone);
  return { address: server.address };
});
