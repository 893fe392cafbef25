import type { Config } from '../config.ts';
import { createPasswordReset, resetUrl } from '../features/identity/people/account.ts';
import { stopTotpOf } from '../features/identity/people/two-factor.ts';
import { parseAddress } from '../mail/mime/address.ts';
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
  await withInstance(config, async ({ db }) => {
    const url = resetUrl(config.baseUrl, await createPasswordReset(db, email, RESET_HOURS));
    console.log(
      `Use this link to set a new password for ${email}. It works once and expires in a day:\n${url}`,
    );
  });
}

async function stopTwoFactor(args: string[], config: Config): Promise<void> {
  const email = requireEmail(args);
  await withInstance(config, async ({ db }) => {
    await stopTotpOf(db, email);
    console.log(`Two-factor authentication is off for ${email}, and their passkeys are deleted.`);
  });
}

function requireEmail(args: string[]): string {
  const { options } = readOptions(args, ['email']);
  const email = requireOption(options.email, 'email');
  if (!parseAddress(email)) throw new UsageError('--email must be a valid email address.');
  return email;
}
