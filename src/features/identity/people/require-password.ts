import type { Db } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { isPassword } from './passwords.ts';
import { withAttemptInside } from './throttle.ts';
import type { UserRow } from './users.ts';

/** Asks for the password again, because someone else may be using an unattended session. */
export async function requirePassword(db: Db, user: UserRow, field: string, password: string): Promise<void> {
  await withAttemptInside(db, user.email_key, async (attempt) => {
    if (!(await isPassword(password, user.password_hash))) throw invalidField(field, 'is incorrect');
    await attempt.takeBack();
  });
}
