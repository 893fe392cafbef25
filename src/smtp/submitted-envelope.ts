/** What the client of a submission port asked for with the parameters of MAIL and RCPT. */
import type { SMTPServerSession } from 'smtp-server';
import type { RawContent } from '../features/sending/emails/submission.ts';
import { parseAddress } from '../mail/mime/address.ts';
import { mailParametersOf, rcptParametersOf } from './server.ts';

/** There is an envelope only if the client asked for delivery reports or for TLS on the whole way. */
export function readEnvelope(session: SMTPServerSession): Pick<RawContent, 'leavesAt' | 'envelope'> {
  const { mailFrom, rcptTo } = session.envelope;
  const { holdUntil, ret, envid, requireTls } = mailParametersOf(session);
  const recipients = new Map(
    rcptTo.map((each) => [parseAddress(each.address)!.key, rcptParametersOf(each)] as const),
  );
  const isAsking =
    requireTls ||
    ret !== null ||
    envid !== null ||
    [...recipients.values()].some(({ notify, orcpt }) => notify !== null || orcpt !== null);
  if (!isAsking) return { leavesAt: holdUntil };
  const sender = mailFrom ? mailFrom.address : '';
  return { leavesAt: holdUntil, envelope: { sender, ret, envid, requiresTls: requireTls, recipients } };
}
