/** What became of a step, and why a run ended, in words. The API has codes, such as `skipped: suppressed`. */
import { automationPeopleTexts } from '../../../texts/en/automation-people.ts';

const t = automationPeopleTexts.story;

export function sayResult(result: string): string {
  const reason = result.startsWith('skipped: ') ? result.slice('skipped: '.length) : null;
  if (reason !== null) return t.skipped(t.skips[reason] ?? reason);
  return t.results[result] ?? result;
}

/** `exited: unsubscribed` in a simulation, `unsubscribed` in a run. */
export function sayReason(end: string): string {
  const reason = end.startsWith('exited: ') ? end.slice('exited: '.length) : end;
  return t.reasons[reason] ?? reason;
}

export function sayHeld(heldBy: string): string {
  return t.held[heldBy] ?? heldBy;
}
