import type { Config } from '../config.ts';
import { createPasswordReset, resetUrl } from '../features/people/account.ts';
import { stopTotpOf } from '../features/people/two-factor.ts';
import { parseAddress } from '../mail/address.ts';
import { readOptions, requireOption, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

const RESET_HOURS = 24;

export async function userCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb === 'reset-password') return resetPassword(args, config);
  if (verb === 'stop-two-factor') return stopTwoFactor(args, config);
  throw new UsageError('What should be done with a user?');
}

async function resetPassword(args: string[], config: Config): Promise<void> {
  const email = requireEmail(args);
  await withInstance(config, async ({ db }) => {
    const url = resetUrl(config.baseUrl, await createPasswordReset(db, email, RESET_HOURS));
    console.log(`This link sets a new password for ${email}, once and within a day:\n${url}`);
  });
}

async function stopTwoFactor(args: string[], config: Config): Promise<void> {
  const email = requireEmail(args);
  await withInstance(config, async ({ db }) => {
    await stopTotpOf(db, email);
    console.log(`Two-factor is off for ${email}.`);
  });
}

function requireEmail(args: string[]): string {
  const { options } = readOptions(args, ['email']);
  const email = requireOption(options.email, 'email');
  if (!parseAddress(email)) throw new UsageError('--email must be a mail address.');
  return email;
}
