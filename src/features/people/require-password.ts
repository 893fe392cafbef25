import type { Db } from '../../platform/database.ts';
import { wrongField } from '../../platform/errors.ts';
import { isPassword } from './passwords.ts';
import { beginAttempt } from './throttle.ts';
import type { UserRow } from './users.ts';

/** Asked again before something that a stranger at an open screen should not do. */
export async function requirePassword(db: Db, user: UserRow, field: string, password: string): Promise<void> {
  const attempt = await beginAttempt(db, user.email_key, null);
  if (!(await isPassword(password, user.password_hash))) throw wrongField(field, 'is not your password');
  await attempt.takeBack();
}
