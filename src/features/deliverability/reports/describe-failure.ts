/** Says in a sentence what a failure in a TLS report means, and what to do about it (RFC 8460 section 4.3). */
import { count } from './describe-source.ts';

const MEANINGS: Record<string, (server: string) => string> = {
  'starttls-not-supported': (server) =>
    `${server} did not offer encryption. Turn on STARTTLS on it, or remove it from the MX records.`,
  'certificate-host-mismatch': (server) =>
    `The certificate of ${server} is for another name. Get one for the name in the MX record.`,
  'certificate-expired': (server) => `The certificate of ${server} has expired. Renew it.`,
  'certificate-not-trusted': (server) =>
    `The certificate of ${server} is not from an authority that others trust. Use one of a public authority, with its whole chain.`,
  'validation-failure': (server) => `The certificate of ${server} could not be checked. Look at its reason.`,
  'tlsa-invalid': (server) =>
    `The TLSA record of ${server} does not match its certificate. Publish the record of the certificate that is in use.`,
  'dnssec-invalid': (server) => `The DNSSEC signatures of ${server} are not valid. Sign the zone again.`,
  'dane-required': () => 'The sender requires DANE, and there was no usable TLSA record.',
  'sts-policy-fetch-error': () =>
    'The MTA-STS policy could not be fetched. Check that mta-sts.<your domain> leads here with a valid certificate.',
  'sts-policy-invalid': () => 'The MTA-STS policy could not be read. Verify the domain again.',
  'sts-webpki-invalid': () =>
    'The certificate of the host of the MTA-STS policy is not valid. Check mta-sts.<your domain>.',
};

export function describeFailure(failure: { type: string; mx: string | null; count: number }): string {
  const { type, mx, count: sessions } = failure;
  const meaning = MEANINGS[type]?.(mx ?? 'A mail server of the domain');
  return `${meaning ?? `The encryption failed (${type}).`} This affected ${count(sessions, 'connection')}.`;
}
