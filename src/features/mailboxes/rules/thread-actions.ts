/** Actions of rules on the conversation of a message: assign, snooze and note. */
import type { Db } from '../../../platform/database/database.ts';
import type { RuleAction } from './rules.schema.ts';

export interface RuledThread {
  teamId: number;
  mailboxId: string;
  threadId: string;
  ruleId: string;
}

/** Returns what went wrong, or null. */
export async function threadActions(
  _trx: Db,
  _thread: RuledThread,
  action: RuleAction,
): Promise<string | null> {
  return `The action ${action.type} is not available.`;
}
