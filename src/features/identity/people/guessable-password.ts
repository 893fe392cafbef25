const MIN_DISTINCT_CHARACTERS = 4;
const COMMON_PASSWORDS =
  /^(0?1234567890?|(password|passwort|letmein|welcome|posthorn|qwerty|admin|changeme)[\d!.]*|qwertyuiop|qwertzuiop|1q2w3e4r5t|abcdefghij[a-z]*)$/i;

/**
 * Detects passwords that attackers try first. There are no rules about kinds of characters, because length matters
 * more.
 */
export function isGuessable(password: string): boolean {
  return new Set(password).size < MIN_DISTINCT_CHARACTERS || COMMON_PASSWORDS.test(password);
}
