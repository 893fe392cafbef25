/** `posthorn restore`. The whole file is verified before anything is changed. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { pauseOverdue, type PausedByRestore } from '../features/automations/after-restore.ts';
import { KEY_CHANGED } from '../features/identity/api-keys/api-key-cache.ts';
import { SESSION_CHANGED } from '../features/identity/people/session-cache.ts';
import { renewSyncStates } from '../features/mailboxes/storage/after-restore.ts';
import { replaceCheckValue } from '../features/account/instance-secret/secret-check.ts';
import { openInstance } from '../instance.ts';
import { findSecret } from '../open-secret.ts';
import { loadBackup, type Loaded } from '../platform/backup/load.ts';
import { readBackupFile, type Backup } from '../platform/backup/read-file.ts';
import { instanceSecretFile, parseInstanceSecret } from '../platform/crypto.ts';
import { createLog } from '../platform/log.ts';
import { readSchemaFiles } from '../platform/database/migrations.ts';
import { ALL_KEYS } from '../platform/database/lookup-cache.ts';
import { showContents } from './show.ts';
import { readOptions, UsageError } from './usage.ts';

/** One connection for the restore, one for the migrations of the job queue. */
const CONNECTIONS = 2;

export async function restoreCommand(args: string[], config: Config): Promise<void> {
  const { positionals, flags } = readOptions(args, [], { positionals: true, flags: ['replace'] });
  const replace = flags.replace ?? false;
  const [name, ...more] = positionals;
  if (!name || more.length > 0) throw new UsageError('Give the name of one backup file.');
  const file = resolve(name);
  const backup = await readBackupFile(file);
  const secret = parseInstanceSecret(backup.header.secret);
  if (config.instanceSecret && !secret.equals(parseInstanceSecret(config.instanceSecret))) {
    throw new Error(
      'The backup was made with a different INSTANCE_SECRET. Set INSTANCE_SECRET to the value of that instance, or unset it to store the secret from the backup in DATA_DIR.',
    );
  }

  const log = createLog('error');
  const instance = await openInstance({ ...config, databaseConnections: CONNECTIONS }, log, {
    migrate: false,
    unhurried: true,
    secret,
  });
  try {
    const secretFile = findSecret(config)?.equals(secret) ? null : instanceSecretFile(config.dataDir);
    let paused: PausedByRestore[] = [];
    const loaded = await loadBackup(file, backup, {
      pool: instance.pool,
      secretFile,
      replace,
      ...readSchemaFiles(),
      onWait: () => console.error('Waiting for another process that starts or migrates on this database …'),
      notify: { [KEY_CHANGED]: ALL_KEYS, [SESSION_CHANGED]: ALL_KEYS },
      afterLoading: async (client, backupMadeAt) => {
        await renewSyncStates(client, backupMadeAt);
        await replaceCheckValue(client, secret);
        paused = await pauseOverdue(client, backupMadeAt);
      },
    });
    console.log(report(file, backup, loaded));
    if (paused.length > 0) console.log(describePaused(paused));
    if (secretFile) console.log(describeSecretFile(secretFile, config));
    console.log(
      loaded.isServerRunning
        ? 'The running server already uses the restored data.'
        : 'Start Posthorn with: npm start',
    );
  } finally {
    await instance.close();
  }
}

function report(file: string, { header, contents }: Backup, { leftOut, migrated }: Loaded): string {
  const lines = [
    `Restored ${file}, created ${header.createdAt} by Posthorn ${header.posthorn}: ${showContents(contents)}.`,
  ];
  if (leftOut.length > 0)
    lines.push(`Not restored because they are not part of Posthorn: ${leftOut.join(', ')}.`);
  if (migrated.length > 0) lines.push(`Applied migrations: ${migrated.join(', ')}.`);
  return lines.join('\n');
}

function describePaused(paused: PausedByRestore[]): string {
  const lines = paused.map(({ id, name, runs }) => `  ${name} (${id}): ${runs} due`);
  return [
    'Paused these automations, because steps that are due now may have been done after the backup was made. Look at their runs, then resume them:',
    ...lines,
  ].join('\n');
}

function describeSecretFile(secretFile: string, { databaseUrl }: Config): string {
  const others = databaseUrl ? ' Set the same INSTANCE_SECRET on other machines that use this database.' : '';
  return `The instance secret of the backup is now in ${secretFile}.${others}`;
}
