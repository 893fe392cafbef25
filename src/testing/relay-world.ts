/** A server that sends through a relay, which is an SMTP sink. */
import { sql } from 'kysely';
import { startSmtpSink, type SmtpSink } from './smtp-sink.ts';
import { startTestServer, type TestServer, type TestTeam } from './test-server.ts';

export interface RelayWorld {
  sink: SmtpSink;
  server: TestServer;
  close(): Promise<void>;
}

export async function startRelayWorld({
  doors = ['http', 'worker'],
  env,
}: Pick<NonNullable<Parameters<typeof startTestServer>[0]>, 'doors' | 'env'> = {}): Promise<RelayWorld> {
  const sink = await startSmtpSink();
  const server = await startTestServer({
    doors,
    env: { MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}`, ...env },
  });
  return {
    sink,
    server,
    async close() {
      await server.close();
      await sink.close();
    },
  };
}

/** Creates the domain through the API, with its keys, and marks it as verified, because there is no DNS. */
export async function addVerifiedDomain(
  { db }: TestServer,
  owner: Pick<TestTeam, 'call'>,
  name: string,
): Promise<{ id: number; publicKey: string }> {
  const { body } = await owner.call('POST', '/domains', { name });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${body.id}`.execute(db);
  return body;
}
