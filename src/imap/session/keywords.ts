/** The list of flags that a client has seen. FLAGS must list a keyword before a message shows it. */
import { encodeKeyword } from '../../mail/imap/mailbox-names.ts';
import { FLAG_NAMES } from './flags.ts';
import type { FolderSession } from './session.ts';

export function announceKeywords(
  { selected, out }: Pick<FolderSession, 'selected' | 'out'>,
  labels: readonly string[],
): void {
  const before = selected.keywords.size;
  for (const label of labels) selected.keywords.add(label);
  if (selected.keywords.size > before) writeFlagLists({ selected, out });
}

export function writeFlagLists({ selected, out }: Pick<FolderSession, 'selected' | 'out'>): void {
  const flags = [...FLAG_NAMES, ...[...selected.keywords].map(encodeKeyword)].join(' ');
  out.line(`* FLAGS (${flags})`);
  out.line(
    selected.isReadOnly
      ? '* OK [PERMANENTFLAGS ()] Read-only folder'
      : `* OK [PERMANENTFLAGS (${flags} \\*)] Keywords can be created`,
  );
}
