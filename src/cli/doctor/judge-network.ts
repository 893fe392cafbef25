/** Turns the probes of the network and the settings BASE_URL and MAIL_HOST into findings. */
import { isIP } from 'node:net';
import type { Config } from '../../config.ts';
import { EXPIRES_SOON_MS } from '../../platform/certificates/certificate.ts';
import { bareHost } from '../../platform/network/bare-host.ts';
import { isThisMachine, leadsToThisMachine } from '../../platform/network/local-address.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';
import type { CertificateProbe } from './probe-certificate.ts';
import type { DnsProbe, PortProbe, PosthornProbe } from './probe-network.ts';

export function judgePort(
  { name, host, port }: { name: string; host: string; port: number },
  state: PortProbe,
  posthorn: PosthornProbe,
): DoctorFinding {
  const where = `${host}:${port}`;
  if (state === 'free') return passed(name, `${where} is free`);
  if (state === 'forbidden') {
    const advice = `Use a port from 1024 up, or allow node to open this one (AmbientCapabilities=CAP_NET_BIND_SERVICE in systemd).`;
    return failure(name, `${where} cannot be opened by this user, and nothing listens there`, advice);
  }
  if (state === 'elsewhere') {
    return failure(name, `${host} is not an address of this machine`, 'Correct HOST or SMTP_HOST.');
  }
  if (posthorn === 'healthy') return passed(name, `${where} is used by the running Posthorn`);
  if (posthorn === 'ill') {
    const words = `${where} is used by a Posthorn that is not healthy`;
    const advice = 'Read its log and the response of /healthz.';
    return name === 'PORT' ? failure(name, words, advice) : warning(name, words, advice);
  }
  return failure(name, `${where} is used by another program`, `Stop that program, or change ${name}.`);
}

function listServers(probes: DnsProbe[]): string {
  return probes.map(({ server }) => server).join(', ');
}

export function judgeDns(probes: DnsProbe[], transport: string): DoctorFinding {
  const answering = probes.filter(({ outcome }) => outcome === 'answers');
  const silent = probes.filter(({ outcome }) => outcome !== 'answers');
  if (silent.length === 0 && answering.length > 0) return passed('DNS', `${listServers(answering)} responds`);
  const refusing = silent.filter(({ outcome }) => outcome === 'refuses');
  const words =
    silent.length === 0
      ? 'no DNS server is configured'
      : refusing.length === silent.length
        ? `${listServers(silent)} refuses or fails to look up names`
        : `no response from ${listServers(silent)}`;
  const advice = 'Set DNS_SERVERS to DNS servers that this machine can reach.';
  if (answering.length > 0) return warning('DNS', `${words}; ${listServers(answering)} responds`, advice);
  return transport === 'sandbox'
    ? warning('DNS', `${words}; domains cannot be verified`, advice)
    : failure('DNS', words, advice);
}

export function judgeBaseUrl({ baseUrl, isBaseUrlSet, host, mailTransport }: Config): DoctorFinding {
  const { protocol, hostname } = new URL(baseUrl);
  if (mailTransport !== 'sandbox' && leadsToThisMachine(baseUrl)) {
    return warning(
      'BASE_URL',
      `links in emails lead to ${baseUrl}, which only opens on this machine, so recipients cannot confirm or unsubscribe`,
      'Set BASE_URL to the public URL of Posthorn.',
    );
  }
  if (!isBaseUrlSet && !isThisMachine(host)) {
    return warning(
      'BASE_URL',
      `not set: links in emails lead to ${baseUrl}, and every host name is served`,
      'Set BASE_URL to the public URL of Posthorn. Further names belong into ALLOWED_HOSTS.',
    );
  }
  if (protocol === 'https:' || !isPublic(hostname)) return passed('BASE_URL', baseUrl);
  return warning(
    'BASE_URL',
    `${baseUrl} is public but not encrypted, so others can read API keys and messages`,
    'Put a TLS proxy in front of Posthorn and use https:// in BASE_URL.',
  );
}

function isPublic(hostname: string): boolean {
  const name = bareHost(hostname).toLowerCase();
  if (isIP(name) === 4) return !/^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name);
  if (isIP(name) === 6) return !/^(::1?$|f[cd]|fe[89ab])/.test(name);
  return (
    name.includes('.') && !/\.(localhost|local|lan|internal|test|invalid|example|home\.arpa)$/.test(name)
  );
}

export function judgeCertificate(probe: CertificateProbe, mailHost: string, now: number): DoctorFinding {
  const about = 'Certificate';
  if (probe.state === 'own') return passed(about, 'self-signed, for both SMTP ports');
  if (probe.state === 'awaited') {
    const advice = 'Start the server. If it runs, its log says why the ACME server issues none.';
    return warning(about, 'none from the ACME server yet, so a self-signed one is used', advice);
  }
  if (probe.state === 'unusable') {
    return failure(about, probe.reason, 'Correct SMTP_TLS_CERT and SMTP_TLS_KEY, or delete the file.');
  }
  const until = `until ${probe.endsAt.toISOString().slice(0, 10)}`;
  if (probe.endsAt.getTime() < now) {
    const words = `expired on ${probe.endsAt.toISOString().slice(0, 10)}; email apps refuse to connect`;
    return failure(about, words, 'Renew it. Posthorn loads the new certificate automatically.');
  }
  if (probe.endsAt.getTime() < now + EXPIRES_SOON_MS) {
    return warning(
      about,
      `expires soon: valid ${until}`,
      'Renew it. Posthorn loads the new certificate automatically.',
    );
  }
  if (!probe.isForMailHost) {
    return warning(
      about,
      `not valid for ${mailHost}`,
      'Get a certificate for MAIL_HOST. Email apps reject other names.',
    );
  }
  return passed(about, `for ${mailHost}, valid ${until}`);
}
