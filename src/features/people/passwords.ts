/**
 * Passwords of people, as argon2id with the parameters that OWASP names (19 MiB, two passes, one lane). The work is
 * done off the main thread.
 */
import { hash, verify } from '@node-rs/argon2';

const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Nobody's: whoever has no account costs as much time as whoever has. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$sseBJEn1vpqZaHvP8WFbkQ$Vc0ch77dIhUZHtD/yMlyjeX0NxN5Nswv963E+fCcAOw';

/** The same characters are the same password, however the keyboard puts them together. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

export function hashPassword(password: string): Promise<string> {
  return hash(normalize(password), PARAMETERS);
}

/** Takes its time also where there is no hash to hold the password against. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await verify(passwordHash ?? DECOY, normalize(password));
  return isRight && passwordHash !== undefined;
}
