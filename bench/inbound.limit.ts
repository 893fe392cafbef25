/** The limit of receiving: the same SMTP library and an insert of the raw bytes before the 250, without parsing. */
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { newUuid } from '../src/platform/ids.ts';
import { answerQuestions } from './forked.ts';

export interface InboundLimitOrder {
  databaseUrl: string;
}

const CONNECTIONS = 16;

answerQuestions(async (question) => {
  const { databaseUrl } = question as InboundLimitOrder;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  await pool.query('create table if not exists bench_inbound (id uuid primary key, raw bytea not null)');
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const insert = { name: 'insert', text: 'insert into bench_inbound (id, raw) values ($1, $2)' };
        pool.query({ ...insert, values: [newUuid(), Buffer.concat(chunks)] }, (error) => callback(error));
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  return { port: (server.server.address() as AddressInfo).port };
});
