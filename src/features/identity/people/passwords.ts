/**
 * Password hashes use argon2id with the parameters that OWASP recommends (19 MiB, two passes, one lane). Hashing
 * runs off the main thread.
 */
import { hash, verify } from '@node-rs/argon2';

let parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Verified when there is no account, so that response times do not reveal which addresses have one. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$sseBJEn1vpqZaHvP8WFbkQ$Vc0ch77dIhUZHtD/yMlyjeX0NxN5Nswv963E+fCcAOw';

/** For tests, which create many users: uses the cheapest argon2id parameters. */
export function hashCheaply(): void {
  parameters = { memoryCost: 8, timeCost: 1, parallelism: 1 };
}

/** Keyboards encode the same characters differently, composed or decomposed. Both forms are one password. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

export function hashPassword(password: string): Promise<string> {
  return hash(normalize(password), parameters);
}

/** Takes the same time when there is no hash to compare with. */
export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await verify(passwordHash ?? DUMMY_HASH, normalize(password));
  return isRight && passwordHash !== undefined;
}
