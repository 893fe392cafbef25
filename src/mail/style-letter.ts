/**
 * Inlining for whoever must go on answering meanwhile: aside, however small a letter is, because its size does not tell
 * what it costs. What was inlined lately is remembered, since a letter is looked at again and again.
 */
import { createHash } from 'node:crypto';
import { inlineAside } from './aside.ts';

/** Mail is cut at a third of this by large providers; beyond it styles stay where they are. */
const MAX_LENGTH = 300_000;
const MAX_REMEMBERED = 10;
/** What failed may have failed for want of memory or time of that moment. */
const FAILURE_REMEMBERED_MS = 60_000;

/** By the hash of the letter; null for one that stays as it is. */
const remembered = new Map<string, Promise<string | null>>();
const lastOf = new Map<number, Promise<unknown>>();

/** What cannot be inlined in time keeps its style sheets. One owner's letters take turns, so that others pass them. */
export async function styleLetter(html: string, owner: number): Promise<string> {
  if (html.length > MAX_LENGTH || !/<style\b/i.test(html)) return html;
  const key = createHash('sha256').update(html).digest('base64');
  let styled = remembered.get(key);
  if (!styled) {
    styled = inTurn(owner, () => inlineAside(html).catch(() => forgetLater(key)));
    if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
    remembered.set(key, styled);
  }
  return (await styled) ?? html;
}

function forgetLater(key: string): null {
  setTimeout(() => remembered.delete(key), FAILURE_REMEMBERED_MS).unref();
  return null;
}

function inTurn<Result>(owner: number, work: () => Promise<Result>): Promise<Result> {
  const turn = (lastOf.get(owner) ?? Promise.resolve()).then(work);
  lastOf.set(owner, turn);
  void turn.then(() => lastOf.get(owner) === turn && lastOf.delete(owner));
  return turn;
}
