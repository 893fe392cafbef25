/**
 * The port that other servers deliver to. It knows return paths alone, each signed by us for one recipient of one
 * email; everybody else is unknown at RCPT. What comes there is never refused for what it says: a bounce that
 * bounces would go round for ever.
 */
import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import { recordReport } from '../features/deliveries/reports.ts';
import { createReturnPaths, type SentTo } from '../features/deliveries/return-paths.ts';
import type { Db } from '../platform/database.ts';
import { reply } from './error-reply.ts';
import { createIntake } from './intake.ts';
import { answer, openSmtpServer, type Endpoint, type SmtpServer } from './server.ts';

/** A report stands before the message that it returns: of a large one the beginning is enough. */
const KEPT_BYTES = 1024 * 1024;
const MAX_HELD_BYTES = 64 * KEPT_BYTES;
const SIZE_BYTES = 50 * 1024 * 1024;
const MAX_RECIPIENTS = 10;

export function openInbound(
  endpoint: Endpoint,
  { db, secret }: { db: Db; secret: Buffer },
): Promise<SmtpServer> {
  const { log } = endpoint;
  const returnPaths = createReturnPaths(secret);
  const intake = createIntake({ messageBytes: KEPT_BYTES, totalBytes: MAX_HELD_BYTES });
  const known = new WeakMap<SMTPServerAddress, SentTo>();

  async function find(recipient: SMTPServerAddress): Promise<void> {
    const sentTo = await returnPaths.find(db, recipient.address);
    if (!sentTo) throw reply('550 5.1.1', 'There is no such address here');
    known.set(recipient, sentTo);
  }

  async function record(raw: Buffer, { envelope }: SMTPServerSession): Promise<string> {
    for (const recipient of envelope.rcptTo) {
      const sentTo = known.get(recipient);
      if (sentTo) await recordReport(db, sentTo, raw);
    }
    return 'Thank you';
  }

  return openSmtpServer(endpoint, {
    size: SIZE_BYTES,
    disabledCommands: ['AUTH'],
    authOptional: true,
    maxRecipients: MAX_RECIPIENTS,
    onRcptTo: (address, _session, callback) => void answer(log, find(address), (error) => callback(error)),
    onData(stream, session, callback) {
      const recorded = intake.readStart(stream).then((raw) => record(raw, session));
      void answer(log, recorded, callback);
    },
  });
}
