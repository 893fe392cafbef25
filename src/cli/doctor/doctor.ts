/**
 * `posthorn doctor`: checks everything that Posthorn depends on, without changing it. The checks run concurrently, and
 * each has a time limit.
 */
import type { Config } from '../../config.ts';
import { compareMigrations, readSchemaFiles } from '../../platform/database/migrations.ts';
import { createDns } from '../../mail/auth/dns.ts';
import { checkDomains, type StoredDomain } from './check-domains.ts';
import { checkDomainHealth } from './check-domain-health.ts';
import { checkMailHost } from './check-mail-host.ts';
import { checkObjectStore } from './check-object-store.ts';
import { checkReportHost } from './check-report-host.ts';
import { checkPort25 } from './check-port-25.ts';
import { checkRelays } from './check-relay.ts';
import { passed, withinTime, type DoctorFinding } from './finding.ts';
import {
  judgeClock,
  judgeDataDir,
  judgeDatabase,
  judgeDisk,
  judgeMigrations,
  judgeNode,
  judgeNotifications,
  judgePooler,
} from './judge-machine.ts';
import { judgePasskeys } from './judge-passkeys.ts';
import { judgeSecret } from './judge-secret.ts';
import { judgeBrakes, judgeClosedTeams, judgeQueue } from './judge-queue.ts';
import { judgeBaseUrl, judgeCertificate, judgeDns, judgePort } from './judge-network.ts';
import { probeCertificate } from './probe-certificate.ts';
import { probeDatabase, type DatabaseProbe } from './probe-database.ts';
import { probeDataDir, probeDisk } from './probe-disk.ts';
import { probeDns, probePort, probePosthorn } from './probe-network.ts';
import { readOptions } from '../usage.ts';
import { showCount } from '../show.ts';

const MIB = 1024 ** 2;
/** Shorter than for mail, because someone waits. */
const DNS_LIMITS = { tryMs: 1_000, tries: 2, totalMs: 3_500 };

const MARKS = { fine: '✓', warning: '!', failure: '✗' };

export async function doctorCommand(args: string[], config: Config): Promise<void> {
  readOptions(args, []);
  const findings = await examine(config);
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const { mark, about, words, advice } of findings) {
    console.log(`${MARKS[mark]} ${about.padEnd(width)}  ${indent(words, width)}`);
    if (advice) console.log(`  ${' '.repeat(width)}  → ${indent(advice, width)}`);
  }
  console.log(`\n${summary(findings)}`);
  if (config.mailTransport === 'sandbox')
    console.log('No email leaves this machine, because MAIL_TRANSPORT is sandbox.');
  if (findings.some(({ mark }) => mark === 'failure')) process.exitCode = 1;
}

async function examine(config: Config): Promise<DoctorFinding[]> {
  const doors = [
    { name: 'PORT', host: config.host, port: config.port },
    { name: 'SMTP_PORT', host: config.smtpHost, port: config.smtpPort },
    { name: 'SUBMISSION_PORT', host: config.smtpHost, port: config.submissionPort },
    ...(config.submissionsPort
      ? [{ name: 'SUBMISSIONS_PORT', host: config.smtpHost, port: config.submissionsPort }]
      : []),
    ...(config.imapPort ? [{ name: 'IMAP_PORT', host: config.smtpHost, port: config.imapPort }] : []),
    ...(config.imapsPort ? [{ name: 'IMAPS_PORT', host: config.smtpHost, port: config.imapsPort }] : []),
    ...(config.httpsPort === null
      ? []
      : [{ name: 'HTTPS_PORT', host: config.smtpHost, port: config.httpsPort }]),
    ...(config.acmeEmail === null
      ? []
      : [{ name: 'ACME_HTTP_PORT', host: config.smtpHost, port: config.acmeHttpPort }]),
  ];
  const dns = createDns(config.dnsServers, DNS_LIMITS);
  // Do this before the ports are probed, because that probe listens on them.
  const posthorn = await probePosthorn(config.host, config.port);
  const findDatabase = probeDatabase(config);
  const [dataDir, disk, database, ports, servers, domains, ...outgoing] = await Promise.all([
    probeDataDir(config.dataDir),
    probeDisk(config.dataDir),
    findDatabase,
    Promise.all(doors.map(({ host, port }) => probePort(host, port))),
    probeDns(config.dnsServers),
    findDatabase.then((probe) =>
      probe.state === 'up' ? withinTime('Domains', checkDomains(config, dns, domainsOf(probe))) : [],
    ),
    withinTime('MAIL_HOST', checkMailHost(config, dns)),
    withinTime(
      'Health',
      findDatabase.then((probe) =>
        checkDomainHealth(config, dns, {
          domains: healthDomainsOf(config, probe),
          isRunning: posthorn === 'healthy',
        }),
      ),
    ),
    withinTime(
      'REPORT_HOST',
      findDatabase.then((probe) => checkReportHost(config, dns, healthDomainsOf(config, probe))),
    ),
    withinTime(
      'Relay',
      findDatabase.then((probe) => checkRelays(config, dns, domainsOf(probe))),
    ),
    withinTime('Port 25', checkPort25(config, dns)),
    withinTime('BLOB_URL', checkObjectStore(config)),
  ]);
  return [
    judgeNode(process.versions.node),
    passed('Settings', 'all valid'),
    judgeDataDir(config.dataDir, dataDir, process.getuid?.()),
    judgeDisk(
      config.dataDir,
      disk,
      database.state === 'up' ? database.growthBytesPerDay : null,
      config.minFreeDiskMb * MIB,
    ),
    ...judgeWholeDatabase(config, database),
    judgeClock(Date.now(), database.state === 'up' ? database.skewMs : null),
    ...doors.map((door, index) => judgePort(door, ports[index]!, posthorn)),
    judgeDns(servers, config.mailTransport),
    judgeBaseUrl(config),
    judgeCertificate(probeCertificate(config), config.mailHost, Date.now()),
    ...outgoing.flat(),
    ...domains,
  ];
}

/** The sandbox sends no mail, so only names that are to be used later have records. */
function healthDomainsOf({ mailTransport }: Config, probe: DatabaseProbe) {
  const domains = probe.state === 'up' ? probe.checkedDomains : [];
  return mailTransport === 'sandbox' ? [] : domains;
}

function domainsOf(probe: DatabaseProbe): StoredDomain[] {
  return probe.state === 'up' ? probe.domains : [];
}

function judgeWholeDatabase(config: Config, database: DatabaseProbe): DoctorFinding[] {
  if (database.state !== 'up') return [judgeDatabase(database)];
  return [
    judgeDatabase(database),
    judgeNotifications(database.hasNotifications, database.pooler),
    ...(database.pooler ? [judgePooler(database.pooler)] : []),
    judgeMigrations(database.applied.length, compareSchema(database)),
    judgeSecret(config, database.secret),
    judgeQueue(database.queue),
    ...judgeBrakes(database.brakes),
    ...judgeClosedTeams(database.closedTeams),
    ...judgePasskeys(config, database.strayPasskeys),
  ];
}

function compareSchema(database: Extract<DatabaseProbe, { state: 'up' }>) {
  const { migrations, functions } = readSchemaFiles();
  const compared = compareMigrations(database.applied, migrations);
  const areFunctionsStale = database.functionsChecksum !== functions.checksum;
  return { ...compared, missing: [...compared.missing, ...(areFunctionsStale ? [functions] : [])] };
}

function indent(text: string, width: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(width + 4)}`);
}

function summary(findings: DoctorFinding[]): string {
  const failures = findings.filter(({ mark }) => mark === 'failure').length;
  const warnings = findings.filter(({ mark }) => mark === 'warning').length;
  if (failures + warnings === 0) return 'No problems found.';
  return `${showCount(failures, 'problem')}, ${showCount(warnings, 'warning')}.`;
}
