/** The key by which push services know this instance. It is made when it is first needed. */
import { sql } from 'kysely';
import { createSecretBox } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { generatePushKey, openPushKey, type PushKey } from './encrypt-push.ts';

type KeyRow = Row<'push_keys', 'public_key' | 'private_key'>;

export async function readPushKey(db: Db, secret: Buffer): Promise<PushKey> {
  const box = createSecretBox(secret, 'push keys');
  const { public_key, private_key } = (await findKey(db)) ?? (await makeKey(db, box));
  return openPushKey(public_key, box.decrypt(private_key));
}

async function findKey(db: Db): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`select public_key, private_key from push_keys where id = 1`.execute(db);
  return rows[0];
}

/** Of several processes, the first one makes the key. */
async function makeKey(db: Db, box: ReturnType<typeof createSecretBox>): Promise<KeyRow> {
  const { publicKey, privateKey } = generatePushKey();
  await sql`
    insert into push_keys (id, public_key, private_key) values (1, ${publicKey}, ${box.encrypt(privateKey)})
    on conflict (id) do nothing
  `.execute(db);
  return (await findKey(db))!;
}
