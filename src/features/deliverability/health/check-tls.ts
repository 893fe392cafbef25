/** Encryption on the way to this domain: the certificate of the mail ports, MTA-STS (RFC 8461) and TLS reports. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { fetchPolicy } from '../../../mail/smtp/mta-sts-policy.ts';
import { mayUseHost } from '../../../mail/smtp/mta-sts.ts';
import { EXPIRES_SOON_MS } from '../../../platform/certificates/certificate.ts';
import { isPublicAddress } from '../../../platform/network/public-address.ts';
import {
  finding,
  shown,
  unanswered,
  type Check,
  type HealthSubject,
  type HealthTools,
} from './health-subject.ts';
import type { HealthCheck } from './health.schema.ts';
import { bareHost } from '../../../platform/network/bare-host.ts';

export const checkCertificate: Check = async ({ settings }, { mtaSts }) => {
  const { certificate, mailHost, mailTransport } = settings;
  const host = bareHost(mailHost);
  const expected = `A valid certificate for ${host}`;
  const say = (status: HealthCheck['status'], found: string | null, sentence: string) =>
    finding('tls_certificate', status, { found, expected, sentence });
  if (certificate === null)
    return say(
      'bad',
      null,
      'The certificate of the mail ports cannot be read. Correct SMTP_TLS_CERT and SMTP_TLS_KEY.',
    );
  const read = new X509Certificate(certificate);
  const endsAt = new Date(read.validTo);
  const until = endsAt.toISOString().slice(0, 10);
  const names = (read.subjectAltName ?? read.subject).replaceAll('DNS:', '');
  const found = shown([`${names}, until ${until}`]);
  if (endsAt.getTime() < Date.now())
    return say('bad', found, `The certificate of the mail ports expired on ${until}. Renew it.`);
  const isSelfSigned = read.issuer === read.subject;
  if (isSelfSigned && mailTransport === 'sandbox')
    return finding('tls_certificate', 'off', {
      found,
      sentence: 'The sandbox uses a self-signed certificate.',
    });
  const isNamed = isIP(host) === 0 ? read.checkHost(host) !== undefined : read.checkIP(host) !== undefined;
  const fault = isSelfSigned ? 'is self-signed' : isNamed ? null : `is not valid for ${host}`;
  if (fault !== null)
    return mtaSts === 'enforce'
      ? say(
          'bad',
          found,
          `The certificate of the mail ports ${fault}, so servers that follow your MTA-STS policy deliver nothing. Get a certificate for ${host}, for example with ACME_EMAIL.`,
        )
      : say(
          'watch',
          found,
          `The certificate of the mail ports ${fault}. Get one for ${host}, for example with ACME_EMAIL.`,
        );
  if (endsAt.getTime() < Date.now() + EXPIRES_SOON_MS)
    return say('watch', found, `The certificate of the mail ports expires on ${until}. Renew it.`);
  return say('good', found, `The certificate of the mail ports is valid until ${until}.`);
};

export const checkMtaSts: Check = async (tools, subject) => {
  const { domain, mtaSts, records, lookups } = subject;
  const answer = await tools.dns.txt(`_mta-sts.${domain.name}`);
  const record = records.find(({ role }) => role === 'mtaSts');
  if (answer.kind === 'failed') return unanswered('mta_sts', record?.value ?? null, answer.reason);
  const texts = answer.kind === 'found' ? answer.records.filter((text) => /^\s*v=STSv1\b/i.test(text)) : [];
  const found = shown(texts);
  const expected = record?.value ?? null;
  const say = (status: HealthCheck['status'], sentence: string) =>
    finding('mta_sts', status, { found, expected, sentence });
  if (texts.length === 0 && mtaSts === 'off')
    return say(
      'off',
      'Servers may deliver mail to this domain without encryption. Turn on MTA-STS to demand it.',
    );
  if (texts.length === 0)
    return say(
      'watch',
      `The policy is not used, because the TXT record _mta-sts.${domain.name} is missing. Create it.`,
    );
  if (texts.length > 1)
    return say('watch', `_mta-sts.${domain.name} has several records, so no policy is used. Keep one.`);
  if (mtaSts !== 'off' && lookups.mtaSts?.finding === 'wrong')
    return say(
      'watch',
      `The TXT record _mta-sts.${domain.name} does not have the ID of the current policy, so others do not fetch it. Replace its value.`,
    );
  return checkPolicy(tools, subject, say);
};

async function checkPolicy(
  { dns, settings }: HealthTools,
  { domain, lookups }: HealthSubject,
  say: (status: HealthCheck['status'], sentence: string) => HealthCheck,
): Promise<HealthCheck> {
  const mayConnect = (address: string) => settings.directAllowPrivate || isPublicAddress(address);
  const policy = await fetchPolicy(dns, domain.name, { mayConnect });
  if ('problem' in policy)
    return say(
      'bad',
      `The policy of https://mta-sts.${domain.name} cannot be fetched (${policy.problem.slice(0, 200)}).`,
    );
  const hosts = lookups.inboundMx && 'found' in lookups.inboundMx ? lookups.inboundMx.found : [];
  const missing = hosts.find((host) => !mayUseHost(policy, host));
  if (missing !== undefined && policy.mode !== 'none')
    return say(
      policy.mode === 'enforce' ? 'bad' : 'watch',
      `The MTA-STS policy does not name ${missing}, where mail of the domain arrives. Add it, or change the MX record.`,
    );
  if (policy.mode === 'none') return say('off', 'The MTA-STS policy is being withdrawn.');
  if (policy.mode === 'testing')
    return say(
      'good',
      'Servers test whether mail to this domain can always be encrypted. Change the policy to enforce if reports show no failures.',
    );
  return say('good', 'Servers deliver mail to this domain only with encryption.');
}

export const checkTlsReports: Check = async ({ dns }, { domain, mtaSts, records }) => {
  const host = `_smtp._tls.${domain.name}`;
  const expected = records.find((record) => record.host === host)?.value ?? 'v=TLSRPTv1; rua=mailto:…';
  const answer = await dns.txt(host);
  if (answer.kind === 'failed') return unanswered('tls_rpt', expected, answer.reason);
  const texts =
    answer.kind === 'found' ? answer.records.filter((text) => /^\s*v=TLSRPTv1\b/i.test(text)) : [];
  const found = shown(texts);
  const say = (status: HealthCheck['status'], sentence: string) =>
    finding('tls_rpt', status, { found, expected, sentence });
  if (texts.length === 0)
    return mtaSts === 'off'
      ? say('off', 'The domain asks for no reports about encryption.')
      : say(
          'watch',
          `Without reports you do not see whether MTA-STS breaks delivery. Create the TXT record ${host}.`,
        );
  if (texts.length > 1)
    return say('watch', `${host} has several records, so nobody sends reports. Keep one.`);
  if (!/;\s*rua\s*=\s*(?:mailto:|https:)/i.test(texts[0]!))
    return say(
      'watch',
      `The TXT record ${host} names no address for reports (rua=mailto:… or rua=https://…).`,
    );
  return say('good', 'Other servers report whether they could encrypt mail to this domain.');
};
