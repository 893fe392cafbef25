/** The files and actions of a saved reply, as its form edits them. */
import type {
  SavedReply,
  SavedReplyAction,
} from '../../../../../src/features/mailboxes/saved-replies/saved-replies.schema.ts';
import { sendJson } from '../../../../api/client.ts';
import { fileBody } from '../../parts/file-body.ts';

const MEGABYTE = 1_024 * 1_024;
export const MOST_FILE_BYTES = 25 * MEGABYTE;

export interface ReplyParts {
  folder: string;
  /** Keywords. */
  labels: string[];
  /** A user ID, `me`, or empty for nobody. */
  assignee: string;
  archives: boolean;
  kept: SavedReply['attachments'];
  added: File[];
}

export function partsOf(reply: SavedReply | null): ReplyParts {
  const actions = reply?.actions ?? [];
  const assigns = actions.find((action) => action.type === 'assign');
  return {
    folder: reply?.folder ?? '',
    labels: actions.flatMap((action) => (action.type === 'label' ? [action.value] : [])),
    assignee: assigns?.user_id ?? '',
    archives: actions.some(({ type }) => type === 'archive'),
    kept: reply?.attachments ?? [],
    added: [],
  };
}

export function toFields({ folder, labels, assignee, archives }: ReplyParts) {
  const actions: SavedReplyAction[] = [
    ...labels.map((value) => ({ type: 'label' as const, value })),
    ...(assignee === '' ? [] : [{ type: 'assign' as const, user_id: assignee }]),
    ...(archives ? [{ type: 'archive' as const }] : []),
  ];
  return { folder: folder.trim() || null, actions };
}

export function bytesOf({ kept, added }: ReplyParts): number {
  return [...kept, ...added].reduce((sum, { size }) => sum + size, 0);
}

interface Progress {
  onRemoved(n: number): void;
  onAdded(file: File, reply: SavedReply): void;
}

/** Removes and adds files. After a failure, pressing the button again does only what is left. */
export async function saveFiles(
  path: string,
  stored: SavedReply['attachments'],
  { kept, added }: ReplyParts,
  { onRemoved, onAdded }: Progress,
): Promise<void> {
  const removed = stored.filter(({ n }) => !kept.some((file) => file.n === n));
  // The files after a removed one move up.
  for (const { n } of removed.toReversed()) {
    await sendJson('DELETE', `${path}/attachments/${n}`);
    onRemoved(n);
  }
  for (const file of added)
    onAdded(file, await sendJson<SavedReply>('POST', `${path}/attachments`, await fileBody(file, null)));
}
