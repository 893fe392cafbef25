import type { Db } from '../../../platform/database/database.ts';
import type { SecretBox } from '../../../platform/crypto.ts';
import { createAccountKey } from '../../../platform/certificates/order-certificate.ts';

/** Returns the key of our account at this ACME server, and creates it for the first order of the instance. */
export async function loadAccountKey(db: Db, box: SecretBox, directoryUrl: string): Promise<Buffer> {
  const kept = await readKey(db, box, directoryUrl);
  if (kept) return kept;
  const fresh = await createAccountKey();
  await db
    .insertInto('acme_accounts')
    .values({ directory_url: directoryUrl, private_key: box.encrypt(fresh) })
    .onConflict((conflict) => conflict.column('directory_url').doNothing())
    .execute();
  return (await readKey(db, box, directoryUrl)) ?? fresh;
}

async function readKey(db: Db, box: SecretBox, directoryUrl: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom('acme_accounts')
    .select('private_key')
    .where('directory_url', '=', directoryUrl)
    .executeTakeFirst();
  return row ? box.decrypt(row.private_key) : null;
}
