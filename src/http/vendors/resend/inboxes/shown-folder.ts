/** The folders of threads as Resend shows them. */
const FOLDERS = ['inbox', 'archive', 'spam', 'sent', 'trash'];

/** A folder of the mailbox's own, or of snoozed threads, is like the archive. A thread of drafts is like the sent ones. */
export function shownFolder(folder: string): string {
  if (folder === 'drafts') return 'sent';
  return FOLDERS.includes(folder) ? folder : 'archive';
}
