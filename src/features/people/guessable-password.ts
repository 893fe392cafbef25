const FEWEST_CHARACTERS = 4;
const FIRST_GUESSES =
  /^(0?1234567890?|(password|passwort|letmein|welcome|posthorn|qwerty|admin|changeme)[\d!.]*|qwertyuiop|qwertzuiop|1q2w3e4r5t|abcdefghij[a-z]*)$/i;

/** What everyone tries first. Beyond that length is what counts, and no rule about kinds of characters. */
export function isGuessable(password: string): boolean {
  return new Set(password).size < FEWEST_CHARACTERS || FIRST_GUESSES.test(password);
}
