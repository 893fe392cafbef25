/** A resolver that answers every query at once with "no such name". */
import { startDnsServer } from '../src/testing/dns-server.ts';
import { answerQuestions } from './forked.ts';

const server = await startDnsServer();
answerQuestions(async () => ({ address: server.address }));
