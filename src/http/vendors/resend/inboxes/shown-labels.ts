/** The labels of messages as Resend shows them. */
import { listLabels } from '../../../../features/mailboxes/labels/labels.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import type { Db } from '../../../../platform/database/database.ts';

export interface ShownLabel {
  id: string;
  name: string;
  color: string;
}

/** Of keywords that email apps have set, which are no labels of the mailbox. */
export const LABEL_COLOR = '#6B7280';

/** Returns the labels of a mailbox by their keywords. */
export async function labelsOf(db: Db, caller: Caller, mailboxId: string): Promise<Map<string, ShownLabel>> {
  const labels = await listLabels(db, caller, mailboxId);
  return new Map(labels.map(({ keyword, id, name, color }) => [keyword, { id, name, color }]));
}

export function presentLabels(
  labels: ReadonlyMap<string, ShownLabel>,
  keywords: readonly string[],
): ShownLabel[] {
  return keywords.map((name) => labels.get(name) ?? { id: name, name, color: LABEL_COLOR });
}
