/** `posthorn restore`: the file is looked through from end to end before anything is touched. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { KEY_CHANGED } from '../features/api-keys/keyring.ts';
import { SESSION_CHANGED } from '../features/people/session-ring.ts';
import { openInstance } from '../instance.ts';
import { loadBackup, type Loaded } from '../platform/backup/load.ts';
import { readBackupFile, type Backup } from '../platform/backup/read-file.ts';
import { instanceSecretFile, parseInstanceSecret } from '../platform/crypto.ts';
import { prepareJobs } from '../platform/jobs.ts';
import { createLog } from '../platform/log.ts';
import { readSchemaFiles } from '../platform/migrations.ts';
import { EVERYTHING } from '../platform/remembered.ts';
import { showContents } from './show.ts';
import { readOptions, UsageError } from './usage.ts';

/** One for the work, one for the job queue's own migrations. */
const CONNECTIONS = 2;

export async function restoreCommand(args: string[], config: Config): Promise<void> {
  const replace = args.includes('--replace');
  const { positionals } = readOptions(
    args.filter((arg) => arg !== '--replace'),
    [],
    true,
  );
  const [name, ...more] = positionals;
  if (!name || more.length > 0) throw new UsageError('Which file?');
  const file = resolve(name);
  const backup = await readBackupFile(file);
  const secret = parseInstanceSecret(backup.header.secret);
  if (config.instanceSecret && !secret.equals(parseInstanceSecret(config.instanceSecret))) {
    throw new Error(
      'The backup comes from an instance with another secret than INSTANCE_SECRET. Give INSTANCE_SECRET the value of that instance, or unset it and the secret of the backup is put into DATA_DIR.',
    );
  }

  const log = createLog('error');
  const instance = await openInstance({ ...config, databaseConnections: CONNECTIONS }, log, {
    migrate: false,
    unhurried: true,
  });
  try {
    const secretFile = secret.equals(instance.secret) ? null : instanceSecretFile(config.dataDir);
    const loaded = await loadBackup(file, backup, {
      pool: instance.pool,
      secretFile,
      replace,
      ...readSchemaFiles(),
      prepareJobs: () => prepareJobs(instance.pool, log),
      notify: { [KEY_CHANGED]: EVERYTHING, [SESSION_CHANGED]: EVERYTHING },
    });
    console.log(report(file, backup, loaded));
    if (secretFile) console.log(whereTheSecretIs(secretFile, config));
    console.log(
      loaded.isServerRunning
        ? 'The running server works with the restored data already.'
        : 'Start Posthorn with: npm start',
    );
  } finally {
    await instance.close();
  }
}

function report(file: string, { header, contents }: Backup, { leftOut, migrated }: Loaded): string {
  const lines = [
    `Restored ${file}, made ${header.createdAt} by Posthorn ${header.posthorn}: ${showContents(contents)}.`,
  ];
  if (leftOut.length > 0) lines.push(`Left out, for they are not Posthorn's: ${leftOut.join(', ')}.`);
  if (migrated.length > 0) lines.push(`Brought up to date by ${migrated.join(', ')}.`);
  return lines.join('\n');
}

function whereTheSecretIs(secretFile: string, { databaseUrl }: Config): string {
  const others = databaseUrl ? ' Other machines on this database need it too, as INSTANCE_SECRET.' : '';
  return `The instance secret of the backup is in ${secretFile} now.${others}`;
}
