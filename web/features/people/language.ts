/**
 * The language of the app. The server sends the app in the language of the cookie, otherwise in the one that the browser
 * prefers (src/http/web-files.ts). A person's own choice is kept with the account and follows them to other browsers.
 */
import type { InterfaceLanguage } from '../../../src/features/identity/people/people.schema.ts';
import { texts } from '../../texts/en.ts';

const COOKIE = 'ph_language';
/** Browsers keep no cookie for longer. */
const LASTS_SECONDS = 400 * 24 * 60 * 60;

export function rememberLanguage(language: InterfaceLanguage): void {
  document.cookie = `${COOKIE}=${language}; Path=/; Max-Age=${LASTS_SECONDS}; SameSite=Lax`;
}

/** Without a cookie, the browser's preferred language counts. */
export function forgetLanguage(): void {
  document.cookie = `${COOKIE}=; Path=/; Max-Age=0; SameSite=Lax`;
}

/**
 * Remembers the language of the account and returns whether the app must be loaded again to be in it. False in a browser
 * that keeps no cookies, which would load it again forever.
 */
export function mustFollowLanguage(language: InterfaceLanguage | null): boolean {
  if (language === null || language === texts.language) return false;
  const isKnown = document.cookie.includes(`${COOKIE}=${language}`);
  rememberLanguage(language);
  return !isKnown && document.cookie.includes(`${COOKIE}=${language}`);
}
