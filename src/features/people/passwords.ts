/**
 * Passwords of people, as argon2id with the parameters that OWASP names (19 MiB, two passes, one lane). The work is
 * done off the main thread.
 */
import { hash, verify } from '@node-rs/argon2';

let parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Nobody's: whoever has no account costs as much time as whoever has. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$sseBJEn1vpqZaHvP8WFbkQ$Vc0ch77dIhUZHtD/yMlyjeX0NxN5Nswv963E+fCcAOw';

/** For tests, which make many people: the hashes are still argon2id, and take no time. */
export function hashCheaply(): void {
  parameters = { memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** The same characters are the same password, however the keyboard puts them together. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

export function hashPassword(password: string): Promise<string> {
  return hash(normalize(password), parameters);
}

/** Takes its time also where there is no hash to hold the password against. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await verify(passwordHash ?? DECOY, normalize(password));
  return isRight && passwordHash !== undefined;
}
