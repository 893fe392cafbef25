export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];
/** What a list shows. By default those that wait. */
export type ShownState = ApprovalState | 'all';
