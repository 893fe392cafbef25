/** `posthorn doctor`: looks at everything that Posthorn stands on, and changes none of it. */
import type { Config } from '../config.ts';
import { compareMigrations, readSchemaFiles } from '../platform/migrations.ts';
import { fine, type Finding } from './doctor/finding.ts';
import {
  judgeClock,
  judgeDataDir,
  judgeDatabase,
  judgeDisk,
  judgeMigrations,
  judgeNode,
} from './doctor/judge-machine.ts';
import {
  judgeBaseUrl,
  judgeCertificate,
  judgeDns,
  judgeMailHost,
  judgePort,
} from './doctor/judge-network.ts';
import { probeCertificate } from './doctor/probe-certificate.ts';
import { probeDatabase, type DatabaseProbe } from './doctor/probe-database.ts';
import { probeDataDir, probeDisk } from './doctor/probe-disk.ts';
import { probeDns, probePort, probePosthorn } from './doctor/probe-network.ts';
import { readOptions } from './usage.ts';
import { showCount } from './show.ts';

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
  if (findings.some(({ mark }) => mark === 'failure')) process.exitCode = 1;
}

async function examine(config: Config): Promise<Finding[]> {
  const doors = [
    { name: 'PORT', host: config.host, port: config.port },
    { name: 'SMTP_PORT', host: config.smtpHost, port: config.smtpPort },
    { name: 'SUBMISSION_PORT', host: config.smtpHost, port: config.submissionPort },
  ];
  // Before the ports are tried: it would find us there.
  const posthorn = await probePosthorn(config.host, config.port);
  const [dataDir, disk, database, ports, dns] = await Promise.all([
    probeDataDir(config.dataDir),
    probeDisk(config.dataDir),
    probeDatabase(config),
    Promise.all(doors.map(({ host, port }) => probePort(host, port))),
    probeDns(config.dnsServers),
  ]);
  return [
    judgeNode(process.versions.node),
    fine('Settings', 'all of them can be read'),
    judgeDataDir(config.dataDir, dataDir, process.getuid?.()),
    judgeDisk(config.dataDir, disk),
    judgeDatabase(database),
    ...(database.state === 'up' ? [judgeMigrations(database.applied.length, compareSchema(database))] : []),
    judgeClock(Date.now(), database.state === 'up' ? database.skewMs : null),
    ...doors.map((door, index) => judgePort(door, ports[index]!, posthorn)),
    judgeDns(dns, config.mailTransport),
    judgeBaseUrl(config.baseUrl),
    judgeMailHost(config.mailHost, config.mailTransport),
    judgeCertificate(probeCertificate(config), config.mailHost, Date.now()),
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

function summary(findings: Finding[]): string {
  const failures = findings.filter(({ mark }) => mark === 'failure').length;
  const warnings = findings.filter(({ mark }) => mark === 'warning').length;
  if (failures + warnings === 0) return 'Everything is fine.';
  return `${showCount(failures, 'problem')}, ${showCount(warnings, 'warning')}.`;
}
