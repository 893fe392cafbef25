/**
 * Postfix, OpenDKIM, rspamd and Dovecot as an operator would set them up, each with a folder and ports of its own, so
 * that installed software on the machine is not affected. Postfix needs root.
 */
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onClose } from '../cleanup.ts';

/** An index of words, as ours is. It is no package of Debian 12, so it must be built and installed beforehand. */
const FLATCURVE = '/usr/lib/dovecot/modules/lib21_fts_flatcurve_plugin.so';
const PACKAGES = ['postfix', 'opendkim', 'rspamd', 'dovecot-core', 'dovecot-lmtpd', 'dovecot-fts-xapian'];
const NEEDED = [
  '/usr/sbin/postfix',
  '/usr/sbin/opendkim',
  '/usr/bin/rspamd',
  '/usr/sbin/dovecot',
  '/usr/lib/dovecot/lmtp',
  '/usr/lib/dovecot/modules/lib21_fts_xapian_plugin.so',
];
const START_WITHIN_MS = 180_000;

/** Installs the peers if requested. Returns the reason why they cannot be run, or null. */
export function findObstacle(isInstalling: boolean): string | null {
  if (process.platform !== 'linux') return 'they are run on Linux only';
  if (process.getuid!() !== 0) return 'Postfix must be started by root';
  if (isInstalling) {
    if (!existsSync('/usr/bin/apt-get')) return 'they are installed by apt-get, which is not found';
    install();
  }
  const missing = NEEDED.filter((file) => !existsSync(file));
  if (missing.length === 0) return null;
  return `${missing.join(', ')} not found${isInstalling ? '' : '; add --install to install them by apt'}`;
}

function install(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-y', '--no-install-recommends'];
  execFileSync('apt-get', ['update'], { env, stdio: 'inherit' });
  execFileSync('apt-get', ['install', ...options, ...PACKAGES], { env, stdio: 'inherit' });
}

/** `parts`: fts_xapian, an index of parts of words, which costs several times as much as one of words. */
export type PeerIndex = 'words' | 'parts' | 'none';

/** Returns why this index cannot be had, or null. */
export function findIndexObstacle(index: PeerIndex): string | null {
  return index === 'words' && !existsSync(FLATCURVE) ? `${FLATCURVE} is not there` : null;
}

interface Program {
  /** The processes whose CPU time counts. */
  pids: number[];
  port: number;
}

interface Place {
  folder: string;
  port: number;
}

async function run(command: string, args: string[], { folder, port }: Place): Promise<Program> {
  const logFile = join(folder, 'output.log');
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', log, log] });
  const exited = once(child, 'exit');
  onClose(async () => {
    child.kill('SIGTERM');
    const lastResort = setTimeout(() => child.kill('SIGKILL'), 5_000);
    if (child.exitCode === null && child.signalCode === null) await exited;
    clearTimeout(lastResort);
  });
  await listens(port, () => {
    if (child.exitCode !== null)
      throw new Error(`${command} ended: ${readFileSync(logFile, 'utf8').slice(-1_500)}`);
  });
  return { pids: [child.pid!], port };
}

async function listens(port: number, check: () => void): Promise<void> {
  for (const deadline = Date.now() + START_WITHIN_MS; ; await sleep(100)) {
    check();
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > deadline) throw new Error(`Nothing listens on port ${port}.`);
  }
}

function idOf(name: string, which: 'u' | 'g' = 'u'): number {
  return Number(execFileSync('id', [`-${which}`, name], { encoding: 'utf8' }));
}

function own(folder: string, user: string): void {
  mkdirSync(folder, { recursive: true });
  chownSync(folder, idOf(user), idOf(user, 'g'));
}

/** Signs mail of bench.test with an RSA key of 2048 bits, as its documentation shows. */
export async function startOpenDkim(place: Place): Promise<Program> {
  const { folder, port } = place;
  mkdirSync(folder, { recursive: true });
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(join(folder, 'key.pem'), privateKey, { mode: 0o600 });
  const lines = [
    'Mode s',
    'Domain bench.test',
    'Selector s1',
    `KeyFile ${join(folder, 'key.pem')}`,
    `Socket inet:${port}@127.0.0.1`,
    'Canonicalization relaxed/simple',
    'Background no',
    'Syslog no',
    'RequireSafeKeys no',
    'UserID root',
  ];
  writeFileSync(join(folder, 'opendkim.conf'), `${lines.join('\n')}\n`);
  return run('/usr/sbin/opendkim', ['-f', '-x', join(folder, 'opendkim.conf')], place);
}

/**
 * Modules that query other servers about a message: block lists, fuzzy hashes, Redis. Without these servers they could
 * only wait.
 */
const NETWORKED_MODULES = [
  'asn',
  'fuzzy_check',
  'greylist',
  'history_redis',
  'mx_check',
  'neural',
  'phishing',
  'ratelimit',
  'rbl',
  'replies',
  'reputation',
  'surbl',
  'url_redirector',
];

/** Modules that look at anything but the authentication of the sender. */
const CONTENT_MODULES = [
  'antivirus',
  'chartable',
  'emails',
  'external_services',
  'forged_recipients',
  'force_actions',
  'hfilter',
  'known_senders',
  'maillist',
  'mid',
  'mime_types',
  'multimap',
  'once_received',
  'p0f',
  'regexp',
  'spamtrap',
  'trie',
  'whitelist',
];

/** `full`: all that the package does without other servers. `authentication`: SPF, DKIM, DMARC and ARC alone. */
export type RspamdChecks = 'full' | 'authentication';

/**
 * The configuration of the package, changed with files in `local.d` as its documentation says: the resolver of the
 * benchmark, no other servers, two workers that accept mail from Postfix and check it themselves, and nothing
 * rejected.
 */
export async function startRspamd(place: Place, dnsPort: number, checks: RspamdChecks): Promise<Program> {
  const { folder, port } = place;
  own(folder, '_rspamd');
  mkdirSync(join(folder, 'local.d'), { recursive: true });
  // Mail from loopback counts as local and would not be checked otherwise.
  const checkLocal = 'check_local = true;';
  const disabled = checks === 'full' ? NETWORKED_MODULES : [...NETWORKED_MODULES, ...CONTENT_MODULES];
  const filters = checks === 'full' ? '' : ' filters = "dkim";';
  const files: Record<string, string> = {
    'options.inc': `dns { nameserver = ["127.0.0.1:${dnsPort}"]; enable_dnssec = false; }${filters}`,
    'logging.inc': 'level = "warning";',
    'worker-normal.inc': 'enabled = false;',
    'worker-controller.inc': 'enabled = false;',
    'worker-proxy.inc': `bind_socket = "127.0.0.1:${port}"; count = 2; upstream "local" { self_scan = true; }`,
    'actions.conf': 'reject = 1000; add_header = 900; greylist = 800;',
    'milter_headers.conf': 'use = ["authentication-results"]; skip_local = false;',
    'spf.conf': checkLocal,
    'dkim.conf': checkLocal,
    'dmarc.conf': checkLocal,
    'dkim_signing.conf': 'enabled = false;',
    ...Object.fromEntries(disabled.map((name) => [`${name}.conf`, 'enabled = false;'])),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'local.d', name), `${text}\n`);
  const places = ['LOCAL_CONFDIR', 'DBDIR', 'RUNDIR', 'LOGDIR'].map((name) => `--var=${name}=${folder}`);
  const args = ['-f', '-u', '_rspamd', '-g', '_rspamd', ...places, '-c', '/etc/rspamd/rspamd.conf'];
  return run('/usr/bin/rspamd', args, place);
}

/** Words as they are, without stems, and parts of 3 to 20 letters. Both as their documentation sets them up. */
const INDEX_SETTINGS: Record<PeerIndex, string> = {
  words: `mail_plugins = fts fts_flatcurve
plugin {
  fts = flatcurve
  fts_autoindex = yes
  fts_languages = en
  fts_tokenizers = generic email-address
  fts_filters = lowercase
  fts_flatcurve_substring_search = no
}`,
  parts: `mail_plugins = fts fts_xapian
plugin {
  fts = xapian
  fts_xapian = partial=3 full=20
  fts_autoindex = yes
}`,
  none: 'mail_plugins =',
};

/**
 * LMTP into Dovecot's own format with a file for each message (sdbox: Maildir rereads its folders as they grow), with
 * the full-text index written as mail arrives. The index has the settings of its documentation.
 */
export async function startDovecot(place: Place, index: PeerIndex): Promise<Program> {
  const { folder, port } = place;
  mkdirSync(join(folder, 'run'), { recursive: true });
  own(join(folder, 'mail'), 'dovecot');
  const conf = `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/dovecot.log
protocols = lmtp
ssl = no
first_valid_uid = 1
mail_uid = dovecot
mail_gid = dovecot
mail_location = sdbox:${folder}/mail/%u
${INDEX_SETTINGS[index]}
passdb {
  driver = static
  args = nopassword=y
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${folder}/mail/%u allow_all_users=yes
}
service lmtp {
  process_min_avail = 4
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${port}
  }
}
service indexer-worker {
  process_limit = 2
  vsz_limit = 0
}
service stats {
  client_limit = 2000
}
`;
  writeFileSync(join(folder, 'dovecot.conf'), conf);
  return run('/usr/sbin/dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], place);
}

interface PostfixOptions {
  milterPort: number;
  /** The next hop for all mail: a relay, or LMTP for bench.test. */
  next: { relayPort: number } | { lmtpPort: number };
}

const SERVICES = [
  'pickup unix n - n 60 1 pickup',
  'cleanup unix n - n - 0 cleanup',
  'qmgr unix n - n 300 1 qmgr',
  'rewrite unix - - n - - trivial-rewrite',
  'bounce unix - - n - 0 bounce',
  'defer unix - - n - 0 bounce',
  'trace unix - - n - 0 bounce',
  'proxymap unix - - n - - proxymap',
  'smtp unix - - n - - smtp',
  'lmtp unix - - n - - lmtp',
  'error unix - - n - - error',
  'retry unix - - n - - error',
  'anvil unix - - n - 1 anvil',
  'scache unix - - n - 1 scache',
  'postlog unix-dgram n - n - 1 postlogd',
];

/**
 * The defaults of the package, except for limits per client, which a benchmark from one address would reach, names
 * that would have to be looked up, and the pause of a second with which Postfix slows down clients that are faster
 * than its deliveries.
 */
export async function startPostfix(place: Place, { milterPort, next }: PostfixOptions): Promise<Program> {
  const { folder, port } = place;
  mkdirSync(join(folder, 'queue'), { recursive: true });
  own(join(folder, 'data'), 'postfix');
  chmodSync(folder, 0o755);
  const route =
    'relayPort' in next
      ? [`relayhost = [127.0.0.1]:${next.relayPort}`]
      : ['virtual_mailbox_domains = bench.test', `virtual_transport = lmtp:inet:127.0.0.1:${next.lmtpPort}`];
  const main = [
    'compatibility_level = 3.6',
    `queue_directory = ${folder}/queue`,
    `data_directory = ${folder}/data`,
    'command_directory = /usr/sbin',
    'daemon_directory = /usr/lib/postfix/sbin',
    'mail_owner = postfix',
    'setgid_group = postdrop',
    'myhostname = mx.bench.example',
    'mydestination =',
    'inet_interfaces = 127.0.0.1',
    'inet_protocols = ipv4',
    'mynetworks = 127.0.0.0/8',
    'smtpd_peername_lookup = no',
    'smtp_host_lookup = native',
    'disable_dns_lookups = yes',
    'smtpd_client_connection_count_limit = 0',
    'smtpd_client_connection_rate_limit = 0',
    'in_flow_delay = 0s',
    'maillog_file_prefixes = /',
    `maillog_file = ${folder}/postfix.log`,
    `smtpd_milters = inet:127.0.0.1:${milterPort}`,
    'milter_default_action = tempfail',
    ...route,
  ];
  writeFileSync(join(folder, 'main.cf'), `${main.join('\n')}\n`);
  writeFileSync(
    join(folder, 'master.cf'),
    [`127.0.0.1:${port} inet n - n - - smtpd`, ...SERVICES, ''].join('\n'),
  );
  execFileSync('/usr/sbin/postfix', ['-c', folder, 'start'], { stdio: 'pipe' });
  onClose(() => void execFileSync('/usr/sbin/postfix', ['-c', folder, 'stop'], { stdio: 'pipe' }));
  await listens(port, () => {});
  const pid = Number(readFileSync(join(folder, 'queue', 'pid', 'master.pid'), 'utf8'));
  return { pids: [pid], port };
}
