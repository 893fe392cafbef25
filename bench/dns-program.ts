/** A resolver that knows nothing and says so at once. */
import { startDnsServer } from '../src/testing/dns-server.ts';
import { answerQuestions } from './forked.ts';

const server = await startDnsServer();
answerQuestions(async () => ({ address: server.address }));
