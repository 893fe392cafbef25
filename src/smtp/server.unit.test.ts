import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSelfSigned } from '../platform/certificates/self-signed.ts';
import { createUnexpectedErrors } from '../platform/telemetry/unexpected-errors.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { INBOUND_EXTENSIONS } from './protocol/parameters.ts';
import { openSmtpServer, type SmtpServer } from './server.ts';

const log = pino({ level: 'silent' });
const errors = createUnexpectedErrors(log);
const certificate = makeSelfSigned('mx.here.test', new Date());
let server: SmtpServer;

beforeAll(async () => {
  const endpoint = {
    host: '127.0.0.1',
    port: 0,
    setting: 'SMTP_PORT',
    name: 'mx.here.test',
    log,
    mailLog: log,
    errors,
  };
  server = await openSmtpServer(
    {
      ...endpoint,
      kind: 'inbound',
      extensions: INBOUND_EXTENSIONS,
      metrics: { countCommand() {} },
      certificate: () => certificate,
    },
    {
      authOptional: true,
      onMailFrom({ address }, _session, callback) {
        if (address.startsWith('bad')) throw new Error('MAIL handler');
        callback();
      },
      onData() {
        throw new Error('DATA handler');
      },
      onClose() {
        throw new Error('close handler');
      },
    },
  );
});
afterAll(() => server.close(1_000));

function reported(): number {
  return new Map(errors.counts()).get('smtp')!;
}

test('an error in a handler closes its own connection and is counted', async () => {
  const other = await openDialogue(server.port);
  const dialogue = await openDialogue(server.port);
  await dialogue.say('EHLO client.example');
  expect(await dialogue.say('MAIL FROM:<bad@client.example>')).toMatch(/^451/);
  await expect(dialogue.say('NOOP')).rejects.toThrow('closed');
  // Its onClose handler fails too.
  await expect.poll(reported).toBe(2);

  const sender = await openDialogue(server.port);
  await sender.say('EHLO client.example');
  expect(await sender.say('MAIL FROM:<good@client.example>')).toMatch(/^250/);
  await sender.say('RCPT TO:<somebody@here.test>');
  await expect(sender.say('DATA')).rejects.toThrow('closed');
  await expect.poll(reported).toBe(4);

  expect(await other.say('NOOP')).toMatch(/^250/);
  other.drop();
});
