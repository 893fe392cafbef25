/** Finds the instance secret and compares it with the database (src/features/account/instance-secret/). */
import type pg from 'pg';
import type { Config } from './config.ts';
import { checkSecret, claimDatabase } from './features/account/instance-secret/secret-check.ts';
import {
  instanceSecretFile,
  loadInstanceSecret,
  parseInstanceSecret,
  readInstanceSecret,
} from './platform/crypto.ts';

type SecretSettings = Pick<Config, 'instanceSecret' | 'dataDir'>;

/** Returns null if there is none, neither in the settings nor in DATA_DIR. */
export function findSecret({ instanceSecret, dataDir }: SecretSettings): Buffer | null {
  return instanceSecret ? parseInstanceSecret(instanceSecret) : readInstanceSecret(dataDir);
}

/** Creates a secret only for a database that belongs to none. Throws if the database belongs to another one. */
export async function openSecret(pool: pg.Pool, config: SecretSettings): Promise<Buffer> {
  const secret = findSecret(config);
  const state = await checkSecret(pool, secret);
  if (state === 'missing') throw new Error(describeMissingSecret(config));
  if (state === 'differs') throw new Error(describeWrongSecret(config));
  return secret ?? loadInstanceSecret(config.dataDir);
}

/** Two processes with different secrets may both have found the database unused. */
export async function claimForSecret(pool: pg.Pool, config: SecretSettings, secret: Buffer): Promise<void> {
  if (!(await claimDatabase(pool, secret))) throw new Error(describeWrongSecret(config));
}

const WHERE_TO_FIND_IT =
  'It is in the folder of the machine that ran Posthorn before, in its INSTANCE_SECRET, and in every backup that `posthorn backup` has made.';

export function describeMissingSecret({ dataDir }: SecretSettings): string {
  return `The instance secret is missing: INSTANCE_SECRET is not set, and ${instanceSecretFile(dataDir)} does not exist, but the database is in use with a secret. ${WHERE_TO_FIND_IT} Without it private keys cannot be decrypted, so Posthorn does not make a new one.`;
}

export function describeWrongSecret({ instanceSecret, dataDir }: SecretSettings): string {
  const where = instanceSecret ? 'INSTANCE_SECRET' : instanceSecretFile(dataDir);
  return `The instance secret does not belong to this database: ${where} is another one than the one that the database is in use with. ${WHERE_TO_FIND_IT}`;
}
