import type { Config } from '../config.ts';
import { recordInTeamsOf } from '../features/audit/record-in-teams.ts';
import { OPERATOR } from '../features/audit/record-audit.ts';
import { createPasswordReset, resetUrl } from '../features/identity/people/account.ts';
import { stopTotpOf } from '../features/identity/people/two-factor.ts';
import { emailKeyOf, findUserByEmail } from '../features/identity/people/users.ts';
import { parseAddress } from '../mail/mime/address.ts';
import { inTransaction, type Db } from '../platform/database/database.ts';
import { encodeId } from '../platform/ids.ts';
import type { Instance } from '../instance.ts';
import { readOptions, requireOption, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

const RESET_HOURS = 24;

export async function userCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb === 'reset-password') return resetPassword(args, config);
  if (verb === 'stop-two-factor') return stopTwoFactor(args, config);
  throw unknownSubcommand(verb, ['reset-password', 'stop-two-factor']);
}

async function resetPassword(args: string[], config: Config): Promise<void> {
  const email = requireEmail(args);
  await withInstance(config, async (instance) => {
    const token = await changeAccount(instance, email, 'password.reset-link-created', (trx) =>
      createPasswordReset(trx, email, RESET_HOURS),
    );
    const url = resetUrl(config.baseUrl, token);
    console.log(
      `Use this link to set a new password for ${email}. It works once and expires in a day:\n${url}`,
    );
  });
}

async function stopTwoFactor(args: string[], config: Config): Promise<void> {
  const email = requireEmail(args);
  await withInstance(config, async (instance) => {
    await changeAccount(instance, email, 'two-factor.disabled', (trx) => stopTotpOf(trx, email));
    console.log(`Two-factor authentication is off for ${email}, and their passkeys are deleted.`);
  });
}

/** The teams of the person see in their audit logs that the operator did this. */
async function changeAccount<Result>(
  { db, secret }: Pick<Instance, 'db' | 'secret'>,
  email: string,
  action: string,
  change: (trx: Db) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (trx) => {
    const result = await change(trx);
    const user = await findUserByEmail(trx, emailKeyOf(email));
    const target = user && encodeId('usr', user.id);
    if (user)
      await recordInTeamsOf(trx, secret, user.id, { actor: OPERATOR, action, target: target ?? null });
    return result;
  });
}

function requireEmail(args: string[]): string {
  const { options } = readOptions(args, ['email']);
  const email = requireOption(options.email, 'email');
  if (!parseAddress(email)) throw new UsageError('--email must be a valid email address.');
  return email;
}
