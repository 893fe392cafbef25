/** What people and rules do with threads and mailboxes. */
export type ActivityType =
  | 'assigned'
  | 'unassigned'
  | 'snoozed'
  | 'returned'
  | 'labelled'
  | 'unlabelled'
  | 'moved'
  | 'noted'
  | 'sent'
  | 'merged'
  | 'unmerged'
  | 'split'
  | 'rule'
  | 'reminder'
  | 'draft_taken'
  | 'access_changed'
  | 'key_created';
