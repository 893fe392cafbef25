/** The layout of the archive: a masthead, the emails or one of them as wide as the page, and the sign-up below it. */
import { PAGE_STYLE } from '../pages/page-style.ts';

function signUpRules(form: string): string {
  return `${form} { display: grid; gap: .5rem; margin: 0; max-width: 30rem; }
${form} .row { display: flex; flex-wrap: wrap; gap: .5rem; }
${form} label { font-weight: 600; }
${form} input[type=email] { flex: 1 1 14rem; min-width: 0; padding: .7rem .85rem; border: 1px solid var(--soft); border-radius: 8px; background: var(--field, var(--paper)); color: var(--ink); font: inherit; }
[dir=rtl] ${form} input[type=email] { direction: ltr; text-align: right; }
${form} button { padding: .7rem 1.25rem; border: 1px solid transparent; border-radius: 8px; background: var(--horn); color: #23211d; font: inherit; font-weight: 600; cursor: pointer; }
${form} button:hover { text-decoration: underline; }
${form} input[aria-invalid] { border-color: var(--delete); box-shadow: 0 0 0 1px var(--delete); }
${form} .problem { margin: 0; color: var(--delete); }
${form} .trap { position: absolute; inset-inline-start: -9999px; }`;
}

function footRules(foot: string): string {
  return `${foot} { width: min(44rem, 100% - 2.5rem); margin: clamp(2.5rem, 8vh, 5rem) auto 0; padding-block: 1.5rem 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
${foot} p { margin: 0 0 .5rem; white-space: pre-line; overflow-wrap: anywhere; }
${foot} .links { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; white-space: normal; }`;
}

const FRAME = `${PAGE_STYLE}
body { display: flex; flex-direction: column; min-height: 100vh; min-height: 100dvh; }
.wide { width: min(44rem, 100% - 2.5rem); margin-inline: auto; }
.masthead { padding-block: clamp(2.5rem, 9vh, 6rem) clamp(1.75rem, 5vh, 3rem); }
.masthead .logo { display: block; max-width: min(14rem, 100%); max-height: 4rem; margin: 0 0 1.5rem; }
h1 { margin: 0; font-size: clamp(2rem, 6vw, 3.25rem); line-height: 1.08; letter-spacing: -.025em; text-wrap: balance; overflow-wrap: anywhere; }
.about { margin: 1rem 0 0; max-width: 36rem; color: var(--soft); font-size: 1.125rem; white-space: pre-line; overflow-wrap: anywhere; }
${signUpRules('.sign-up')}
.masthead .sign-up { margin-top: 1.75rem; }
main { flex: 1; }
${footRules('.foot')}
.date { display: block; color: var(--soft); font-size: .875rem; }
`;

export const LIST_STYLE = `${FRAME}
.emails { margin: 0; padding: 0; list-style: none; }
.emails li { padding: 1.5rem 0; border-top: 1px solid var(--line); }
.emails a { color: var(--ink); font-size: 1.3rem; font-weight: 650; line-height: 1.3; letter-spacing: -.01em; text-decoration-color: transparent; overflow-wrap: anywhere; }
.emails a:hover { text-decoration-color: var(--brass); }
.emails p { margin: .35rem 0 0; color: var(--soft); overflow-wrap: anywhere; }
.emails li:first-child a { font-size: clamp(1.5rem, 4vw, 2rem); }
`;

/**
 * The email is the page: it has no frame, and its own background reaches from edge to edge. Emails are designed for a
 * light background, unless they set their own. The rules apply to elements of the page alone, or have no specificity,
 * because the email brings classes and rules of its own.
 */
export const ISSUE_STYLE = `${PAGE_STYLE}
body > .bar { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.25rem; padding: .8rem 1.25rem; border-bottom: 1px solid var(--line); font-size: .9rem; }
body > .bar > .home { color: var(--ink); font-weight: 650; text-decoration: none; overflow-wrap: anywhere; }
body > .bar > .home:hover { text-decoration: underline; }
body > .bar > .date { flex: 1 0 auto; color: var(--soft); }
main > .title { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main > .shown { position: static; width: min(37.5rem, 100% - 2.5rem); height: auto; margin: clamp(1.5rem, 6vh, 3.5rem) auto clamp(1rem, 3vh, 2rem); overflow-wrap: anywhere; clip-path: none; white-space: normal; font-size: clamp(1.75rem, 4.5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; }
main > .email { color-scheme: light; overflow-x: auto; background: #fff; color: #1f2328; overflow-wrap: anywhere; }
:where(main > .email) a { color: #0a557f; }
:where(main > .email) img { max-width: 100%; height: auto; }
main > .after { width: min(37.5rem, 100% - 2.5rem); margin: clamp(2rem, 7vh, 4rem) auto; }
main > .after > h2 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere; }
${signUpRules('main > .after .sign-up')}
${footRules('body > .foot')}
`;
