import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDomain } from '../testing/factories.ts';
import { OUTWARD_ADDRESS } from '../testing/outward-address.ts';
import { startTestServer, type TestServer, type TestTeam } from '../testing/test-server.ts';

const sockets: Socket[] = [];
let server: TestServer;
let team: TestTeam;

beforeAll(async () => {
  server = await startTestServer({
    doors: ['http', 'smtp'],
    env: { SMTP_HOST: '0.0.0.0', SMTP_CONNECTIONS_PER_IP: '2' },
  });
  team = await server.createTeam();
  await addDomain(server.db, team.teamId, 'shop.test');
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

async function greetingTo(host: string): Promise<string> {
  const socket = connect(server.submissionPort, host);
  sockets.push(socket);
  const [bytes] = await once(socket, 'data');
  return String(bytes).slice(0, 3);
}

test.skipIf(!OUTWARD_ADDRESS)(
  'unauthenticated clients have few connections and do not displace others',
  async () => {
    const mailer = nodemailer.createTransport({
      host: OUTWARD_ADDRESS!,
      port: server.submissionPort,
      pool: true,
      maxConnections: 1,
      tls: { rejectUnauthorized: false },
      auth: { user: 'anyone', pass: team.key },
    });
    const message = { from: 'a@shop.test', to: 'ada@example.org', subject: 'x', text: 'x' };
    await mailer.sendMail(message);
    expect(await greetingTo(OUTWARD_ADDRESS!)).toBe('220');
    expect(await greetingTo(OUTWARD_ADDRESS!)).toBe('220');
    expect(await greetingTo(OUTWARD_ADDRESS!)).toBe('421');
    expect(await greetingTo('127.0.0.1')).toBe('220');
    await mailer.sendMail(message);
    mailer.close();
    sockets[0]!.destroy();
    await expect.poll(() => greetingTo(OUTWARD_ADDRESS!)).toBe('220');
  },
);
