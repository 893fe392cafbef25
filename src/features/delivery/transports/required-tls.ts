/** Messages that must be sent with TLS on the whole way (REQUIRETLS, RFC 8689). */
import type { OpenResult } from '../../../mail/smtp/client.ts';
import { refusedLocally, type SmtpFailure } from '../../../mail/smtp/failure.ts';

/** RFC 8689 section 4.2.1: without a server that can be verified, the message is returned instead of tried again. */
export function withoutTlsRetries(opened: OpenResult): OpenResult {
  const { failure } = opened;
  return failure?.stage === 'tls' && failure.temporary
    ? { session: null, failure: cannotRequireTls(failure.cause) }
    : opened;
}

export function cannotRequireTls(cause: string): SmtpFailure {
  return refusedLocally('tls', `The sender requires TLS (REQUIRETLS): ${cause}`, '5.7.30');
}
