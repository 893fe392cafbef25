/** Turns the probes of the machine and its database into findings. */
import { OWN_THE_DATABASE } from '../describe-error.ts';
import { OLDEST_POSTGRES } from '../../platform/database/database.ts';
import { showCount, showSize } from '../show.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';
import type { DatabaseProbe, PoolerProbe } from './probe-database.ts';
import type { DataDirProbe } from './probe-disk.ts';

const OLDEST_NODE = [20, 19] as const;
const MIB = 1024 ** 2;
const LOW_DISK_BYTES = 2048 * MIB;
const FULL_DISK_BYTES = 200 * MIB;
const FULL_IN_DAYS = 2;
const LOW_IN_DAYS = 30;
const MAX_SHOWN_DAYS = 1_000;
const MAX_SKEW_MS = 5_000;
const FIRST_YEAR = 2025;
const LAST_YEAR = 2100;

export function judgeNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return passed('Node', version);
  return failure('Node', `${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`);
}

export function judgeDataDir(
  dataDir: string,
  probe: DataDirProbe,
  ourUid: number | undefined,
): DoctorFinding {
  const about = 'DATA_DIR';
  if (!probe.isWritable) {
    const what = probe.exists ? 'is not writable' : 'does not exist and cannot be created';
    return failure(
      about,
      `${dataDir} ${what}`,
      'Make the user that runs Posthorn its owner, or change DATA_DIR.',
    );
  }
  if (!probe.exists) return passed(about, `${dataDir} does not exist yet; it is created at the first start`);
  if (probe.mode & 0o002) {
    return warning(about, `${dataDir} is writable by everyone`, `chmod o-w ${dataDir}`);
  }
  if (ourUid !== undefined && ourUid !== 0 && probe.uid !== ourUid) {
    return warning(
      about,
      `${dataDir} belongs to user ${probe.uid}, but this is user ${ourUid}`,
      'Run Posthorn and its commands as the same user.',
    );
  }
  if (probe.secretMode !== null && probe.secretMode & 0o077) {
    return warning(about, 'the instance secret is readable by other users', `chmod 600 ${dataDir}/secret`);
  }
  return passed(about, dataDir);
}

/** `growthBytesPerDay` is null when it is not known. */
export function judgeDisk(
  dataDir: string,
  freeBytes: number,
  growthBytesPerDay: number | null,
  minFreeBytes = 0,
): DoctorFinding {
  const days = growthBytesPerDay === null ? Infinity : Math.floor(freeBytes / growthBytesPerDay);
  const growth =
    growthBytesPerDay === null
      ? ''
      : `; email adds about ${showSize(growthBytesPerDay)} a day, so it lasts ${days > MAX_SHOWN_DAYS ? 'years' : showCount(days, 'day')}`;
  const words = `${showSize(freeBytes)} free${growth}`;
  if (freeBytes < minFreeBytes) {
    const advice = `Free space on the disk of ${dataDir}, or lower MIN_FREE_DISK_MB. Until then nothing new is stored.`;
    return failure('Disk', `${words}, which is less than MIN_FREE_DISK_MB`, advice);
  }
  if (freeBytes < FULL_DISK_BYTES || days < FULL_IN_DAYS) {
    return failure(
      'Disk',
      words,
      `Free space on the disk of ${dataDir}. PostgreSQL stops when the disk is full.`,
    );
  }
  if (freeBytes < LOW_DISK_BYTES || days < LOW_IN_DAYS)
    return warning('Disk', words, `Free space on the disk of ${dataDir}.`);
  return passed('Disk', words);
}

export function judgeDatabase(probe: DatabaseProbe): DoctorFinding {
  const about = 'Database';
  if (probe.state === 'none')
    return passed(about, 'none yet; the embedded database is created at the first start');
  if (probe.state === 'down') {
    return failure(
      about,
      `${probe.where} cannot be used: ${probe.reason}`,
      probe.isEmbedded
        ? 'Check postgres.log in DATA_DIR.'
        : 'Start the database server, correct DATABASE_URL, or allow connections from this machine.',
    );
  }
  const words = `PostgreSQL ${probe.version}, ${probe.where}${probe.wasStarted ? ', started only for this check' : ''}`;
  if (probe.versionNumber < OLDEST_POSTGRES)
    return failure(about, words, 'Posthorn needs PostgreSQL 15 or newer.');
  if (probe.encoding !== 'UTF8')
    return failure(
      about,
      `${words}, encoding ${probe.encoding}`,
      'Posthorn needs a database with the encoding UTF8.',
    );
  if (!probe.mayCreate) {
    return failure(about, `${words}; the user cannot create tables and schemas`, OWN_THE_DATABASE);
  }
  return passed(about, words);
}

export function judgeNotifications(hasNotifications: boolean, pooler: PoolerProbe | null): DoctorFinding {
  if (hasNotifications) return passed('Notifications', 'LISTEN and NOTIFY work');
  if (pooler) {
    return failure(
      'Notifications',
      'a notification through DATABASE_URL did not arrive at DATABASE_DIRECT_URL',
      'Let both lead to the same database, and DATABASE_DIRECT_URL to PostgreSQL itself, not to a pooler.',
    );
  }
  return failure(
    'Notifications',
    'a notification through DATABASE_URL did not arrive: a connection pooler in transaction mode loses it, and session locks too',
    'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, or use pool_mode = session in PgBouncer.',
  );
}

export function judgePooler({ preparesByName, statementTimeoutMs }: PoolerProbe): DoctorFinding {
  const about = 'Pooler';
  if (statementTimeoutMs === 0) {
    return warning(
      about,
      'the role has no statement_timeout, and Posthorn cannot set one through a pooler in transaction mode',
      "Run ALTER ROLE … SET statement_timeout = '60s' for the user of DATABASE_URL.",
    );
  }
  if (preparesByName) return passed(about, 'transaction mode, with prepared statements');
  return warning(
    about,
    'transaction mode without prepared statements: PostgreSQL plans every statement again',
    'Use PgBouncer 1.21 or newer with max_prepared_statements = 500.',
  );
}

export function judgeMigrations(
  applied: number,
  { missing, newer, changed }: Record<'missing' | 'newer' | 'changed', { name: string }[]>,
): DoctorFinding {
  const about = 'Migrations';
  if (newer[0]) {
    return failure(
      about,
      `the database is from a newer version of Posthorn: it has ${newer[0].name}`,
      'Install that version of Posthorn.',
    );
  }
  if (changed[0]) {
    return failure(
      about,
      `${changed[0].name} differs from the migration that ran on this database`,
      'Install the build of Posthorn that created this database. Migrations are never edited.',
    );
  }
  if (missing.length > 0) {
    return applied === 0
      ? passed(about, 'none applied yet; the tables are created at the first start')
      : warning(
          about,
          `${showCount(missing.length, 'migration')} pending, starting with ${missing[0]!.name}`,
          'They run at the next start. To run them now: npx posthorn migrate',
        );
  }
  return passed(about, `up to date (${showCount(applied, 'migration')})`);
}

export function judgeClock(nowMs: number, skewMs: number | null): DoctorFinding {
  const now = new Date(nowMs);
  const advice = 'Synchronise the clock with NTP.';
  if (now.getUTCFullYear() < FIRST_YEAR || now.getUTCFullYear() > LAST_YEAR) {
    return failure('Clock', `the clock of this machine says ${now.toISOString()}`, advice);
  }
  if (skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS) {
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
    const side = skewMs > 0 ? 'ahead of' : 'behind';
    return warning('Clock', `the database's clock is ${seconds} s ${side} this machine's`, advice);
  }
  return passed('Clock', `${now.toISOString()}${skewMs === null ? '' : ', same as the database'}`);
}
