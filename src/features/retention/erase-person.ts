/**
 * Erases a person by their address (decision 23). The contacts and the subscription are deleted and the address is
 * suppressed in the same transaction; the job `erase-person` (erase-traces.ts) removes the rest.
 */
import { inTransaction, type Db } from '../../platform/database/database.ts';
import type { Address } from '../../mail/mime/address.ts';
import { deleteContactsOf } from '../audience/contacts/contacts.ts';
import { enqueue } from '../jobs/jobs.ts';
import { suppressAddresses } from '../sending/suppressions/suppressions.ts';
import { newAlias } from './alias.ts';

/** Returns the number of deleted contacts. Erasing an unknown address succeeds too. */
export async function erasePerson(db: Db, teamId: number, { key }: Address): Promise<number> {
  return inTransaction(db, async (trx) => {
    const deleted = await deleteContactsOf(trx, teamId, key);
    await suppressAddresses(trx, 'ERASED', [{ teamId, address: key }]);
    const person = { teamId, addressKey: key, alias: newAlias(), round: 0 };
    await enqueue(trx, 'erase-person', person, { jobKey: `erase-person ${teamId} ${key}` });
    return deleted;
  });
}
