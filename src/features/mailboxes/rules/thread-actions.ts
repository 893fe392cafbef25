/** Actions of rules on the conversation of a message: assign, snooze and note. */
import { databaseNow, type Db } from '../../../platform/database/database.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts';
import { decodeId, encodeId } from '../../../platform/ids.ts';
import { snoozeForAll } from '../snoozing/snooze.ts';
import { addNote } from '../teamwork/notes.ts';
import { setAssignee } from '../teamwork/assign.ts';
import type { RuleAction } from './rules.schema.ts';
import { ASSIGNEE_GONE, switchOff } from '../storage/switch-off-rules.ts';

export interface RuledThread {
  teamId: number;
  mailboxId: string;
  threadId: string;
  ruleId: string;
}

const UNIT_MS: Record<string, number> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
const LONGEST_MS = 365 * DAY_MS;

/** Who acts, in the activity of threads. */
export function ruleActor({ teamId, ruleId }: Pick<RuledThread, 'teamId' | 'ruleId'>) {
  return { teamId, by: `rule:${encodeId('rul', ruleId)}` };
}

/** Returns what went wrong, or null. The caller must have locked the thread. */
export async function threadActions(
  trx: Db,
  thread: RuledThread,
  action: RuleAction,
): Promise<string | null> {
  const actor = ruleActor(thread);
  switch (action.type) {
    case 'assign': {
      if (await setAssignee(trx, actor, thread, decodeId('usr', action.user_id) ?? '')) return null;
      await switchOff(trx, thread.teamId, thread.ruleId, ASSIGNEE_GONE);
      return ASSIGNEE_GONE;
    }
    case 'snooze': {
      const until = new Date((await databaseNow(trx)).getTime() + durationMs(action.for));
      const isSnoozed = await snoozeForAll(trx, actor, thread, { until, wake: 'time_or_reply' });
      return isSnoozed ? null : 'The conversation cannot be snoozed.';
    }
    case 'note': {
      const note = await addNote(trx, actor, thread, { html: action.html, mentions: [] });
      return note ? null : 'The conversation has too many notes.';
    }
    default:
      return `The action ${action.type} is not available.`;
  }
}

/** Reads `3 days` (rules.schema.ts). */
function durationMs(text: string): number {
  const [count = '', unit = ''] = text.split(' ');
  const ms = Number(count) * (UNIT_MS[unit.replace(/s$/, '')] ?? 0);
  return Math.min(Math.max(ms, MINUTE_MS), LONGEST_MS);
}
