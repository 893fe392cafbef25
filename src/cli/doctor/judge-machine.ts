/** What was measured of the machine and its database, in words. Nothing is measured here. */
import { OWN_THE_DATABASE } from '../describe-error.ts';
import { OLDEST_POSTGRES } from '../../platform/database.ts';
import { showCount, showSize } from '../show.ts';
import { failure, fine, warning, type Finding } from './finding.ts';
import type { DatabaseProbe } from './probe-database.ts';
import type { DataDirProbe } from './probe-disk.ts';

const OLDEST_NODE = [20, 19] as const;
const MIB = 1024 ** 2;
const LOW_DISK_BYTES = 2048 * MIB;
const FULL_DISK_BYTES = 200 * MIB;
const MAX_SKEW_MS = 5_000;
const FIRST_YEAR = 2025;
const LAST_YEAR = 2100;

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return fine('Node', version);
  return failure('Node', `${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`);
}

export function judgeDataDir(dataDir: string, probe: DataDirProbe, ourUid: number | undefined): Finding {
  const about = 'DATA_DIR';
  if (!probe.isWritable) {
    const what = probe.exists ? 'cannot be written to' : 'is not there and cannot be made';
    return failure(about, `${dataDir} ${what}`, 'Give it to the user that runs Posthorn, or set DATA_DIR.');
  }
  if (!probe.exists) return fine(about, `${dataDir} is not there yet; the first start makes it`);
  if (probe.mode & 0o002) {
    return warning(about, `${dataDir} can be written to by everyone`, `chmod o-w ${dataDir}`);
  }
  if (ourUid !== undefined && ourUid !== 0 && probe.uid !== ourUid) {
    return warning(
      about,
      `${dataDir} belongs to user ${probe.uid}, and we are ${ourUid}`,
      'Run Posthorn and its commands as the same user.',
    );
  }
  if (probe.secretMode !== null && probe.secretMode & 0o077) {
    return warning(about, 'the instance secret can be read by others', `chmod 600 ${dataDir}/secret`);
  }
  return fine(about, dataDir);
}

export function judgeDisk(dataDir: string, freeBytes: number): Finding {
  const words = `${showSize(freeBytes)} free`;
  if (freeBytes < FULL_DISK_BYTES) {
    return failure('Disk', words, `Make room where ${dataDir} is: PostgreSQL stops when the disk is full.`);
  }
  if (freeBytes < LOW_DISK_BYTES) return warning('Disk', words, `Make room where ${dataDir} is.`);
  return fine('Disk', words);
}

export function judgeDatabase(probe: DatabaseProbe): Finding {
  const about = 'Database';
  if (probe.state === 'none') return fine(about, 'none yet; the first start makes the embedded one');
  if (probe.state === 'down') {
    return failure(
      about,
      `${probe.where} cannot be used: ${probe.reason}`,
      probe.isEmbedded
        ? 'See postgres.log in DATA_DIR.'
        : 'Start it, or correct DATABASE_URL, and see that this machine may reach it.',
    );
  }
  const words = `PostgreSQL ${probe.version}, ${probe.where}${probe.wasStarted ? ', started for this look only' : ''}`;
  if (probe.versionNumber < OLDEST_POSTGRES)
    return failure(about, words, 'Posthorn needs PostgreSQL 15 or newer.');
  if (probe.encoding !== 'UTF8')
    return failure(about, `${words}, has the encoding ${probe.encoding}`, 'Posthorn needs one with UTF8.');
  if (!probe.mayCreate) {
    return failure(about, `${words}: its user may not make tables and schemas`, OWN_THE_DATABASE);
  }
  return fine(about, words);
}

export function judgeMigrations(
  applied: number,
  { missing, newer, changed }: Record<'missing' | 'newer' | 'changed', { name: string }[]>,
): Finding {
  const about = 'Migrations';
  if (newer[0]) {
    return failure(
      about,
      `the database is newer than this program: it has ${newer[0].name}`,
      'Install that newer version of Posthorn.',
    );
  }
  if (changed[0]) {
    return failure(
      about,
      `${changed[0].name} is not the one that ran on this database`,
      'Install the edition of Posthorn that this database was made with. Migrations are never edited.',
    );
  }
  if (missing.length > 0) {
    return applied === 0
      ? fine(about, 'none ran yet; the first start makes the tables')
      : warning(
          about,
          `${showCount(missing.length, 'migration')} to come, from ${missing[0]!.name} on`,
          'The next start runs them; or run: npx posthorn migrate',
        );
  }
  return fine(about, `up to date (${showCount(applied, 'migration')})`);
}

export function judgeClock(nowMs: number, skewMs: number | null): Finding {
  const now = new Date(nowMs);
  const advice = 'Let the machine keep its time by NTP.';
  if (now.getUTCFullYear() < FIRST_YEAR || now.getUTCFullYear() > LAST_YEAR) {
    return failure('Clock', `this machine thinks it is ${now.toISOString()}`, advice);
  }
  if (skewMs !== null && Math.abs(skewMs) > MAX_SKEW_MS) {
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
    const side = skewMs > 0 ? 'ahead of' : 'behind';
    return warning('Clock', `the database's clock is ${seconds} s ${side} this machine's`, advice);
  }
  return fine('Clock', `${now.toISOString()}${skewMs === null ? '' : ', and the database agrees'}`);
}
