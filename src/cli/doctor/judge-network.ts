/** What was measured of the network, and the names that the outside knows us by, in words. */
import { isIP } from 'node:net';
import { failure, fine, warning, type Finding } from './finding.ts';
import type { CertificateProbe } from './probe-certificate.ts';
import type { DnsProbe, PortProbe, PosthornProbe } from './probe-network.ts';

export function judgePort(
  { name, host, port }: { name: string; host: string; port: number },
  state: PortProbe,
  posthorn: PosthornProbe,
): Finding {
  const where = `${host}:${port}`;
  if (state === 'free') return fine(name, `${where} is free`);
  if (state === 'forbidden') {
    const advice = `Choose a port of 1024 or more, or allow this one (setcap cap_net_bind_service=+ep on node).`;
    return failure(name, `${where} may not be opened by this user`, advice);
  }
  if (state === 'elsewhere') {
    return failure(name, `${host} is not an address of this machine`, 'Correct HOST or SMTP_HOST.');
  }
  if (posthorn === 'healthy') return fine(name, `${where} is in use; Posthorn is running`);
  if (posthorn === 'ill') {
    return warning(name, `${where} is in use by a Posthorn that is not well`, 'See its log.');
  }
  return failure(name, `${where} is taken by another program`, `Stop that program, or change ${name}.`);
}

function listServers(probes: DnsProbe[]): string {
  return probes.map(({ server }) => server).join(', ');
}

export function judgeDns(probes: DnsProbe[], transport: string): Finding {
  const answering = probes.filter(({ outcome }) => outcome === 'answers');
  const silent = probes.filter(({ outcome }) => outcome !== 'answers');
  if (silent.length === 0 && answering.length > 0) return fine('DNS', `${listServers(answering)} answers`);
  const words = silent.length > 0 ? `no answer from ${listServers(silent)}` : 'there is no resolver';
  const advice = 'Set DNS_SERVERS to resolvers that this machine can reach.';
  if (answering.length > 0) return warning('DNS', `${words}, but from ${listServers(answering)}`, advice);
  return transport === 'sandbox'
    ? warning('DNS', `${words}; the sandbox sends nothing out, but domains cannot be verified`, advice)
    : failure('DNS', words, advice);
}

export function judgeBaseUrl(baseUrl: string): Finding {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || !isPublic(hostname)) return fine('BASE_URL', baseUrl);
  return warning(
    'BASE_URL',
    `${baseUrl} is public, and without encryption keys and mail can be read on the way`,
    'Put a proxy with a certificate before Posthorn, and let BASE_URL begin with https://',
  );
}

function isPublic(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return !/^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  if (isIP(name) === 6) return !/^(::1?$|f[cd]|fe[89ab])/.test(name);
  return (
    name.includes('.') && !/\.(localhost|local|lan|internal|test|invalid|example|home\.arpa)$/.test(name)
  );
}

export function judgeMailHost(mailHost: string, transport: string): Finding {
  const name = mailHost.replace(/^\[|\]$/g, '');
  if (transport === 'sandbox' || (isIP(name) === 0 && name.includes('.'))) return fine('MAIL_HOST', name);
  return warning(
    'MAIL_HOST',
    `other mail servers do not take mail from one that calls itself ${name}`,
    'Set MAIL_HOST to the public name of this machine.',
  );
}

/** Those who renew by themselves do so earlier. */
const SOON_MS = 7 * 24 * 60 * 60 * 1000;

export function judgeCertificate(probe: CertificateProbe, mailHost: string, now: number): Finding {
  const about = 'Certificate';
  if (probe.state === 'own') return fine(about, 'of our own, for both SMTP ports');
  if (probe.state === 'unusable') {
    return failure(about, probe.reason, 'Correct SMTP_TLS_CERT and SMTP_TLS_KEY.');
  }
  const until = `until ${probe.endsAt.toISOString().slice(0, 10)}`;
  if (probe.endsAt.getTime() < now + SOON_MS) {
    return warning(about, `good only ${until}`, 'Renew it; Posthorn notices by itself.');
  }
  if (!probe.isForMailHost) {
    return warning(about, `not for ${mailHost}`, 'Get one for MAIL_HOST, or programs do not take it.');
  }
  return fine(about, `for ${mailHost}, ${until}`);
}
