export const versionTexts = {
  open: 'Versions',
  title: 'Versions',
  lead: 'Earlier versions of the subject and content. Each is kept for 30 days.',
  emptyTitle: 'No earlier versions yet',
  emptyText: 'A version is kept when you change the subject or the content.',
  shown: 'This version',
  savedAt: 'Saved',
  savedBy: (name: string) => `by ${name}`,
  key: (name: string) => `the API key ${name}`,
  variant: 'Variant',
  allVariants: 'The campaign itself',
  noSubject: 'No subject',
  restore: 'Restore',
  restored: 'Version restored. What it replaced is now a version too',
  saveFirst: 'Save your changes first.',
  conflict: {
    text: 'Another tab or another person saved the same part. Choose which one stays. The other one is kept under Versions.',
    /** Where changes cannot be saved just to keep them: programs or a schedule could send them. */
    textNow:
      'Another tab or another person saved the same part. Choose which one stays. Theirs is kept under Versions, yours is not.',
    keepMine: 'Keep mine',
    takeTheirs: 'Use theirs',
    mineKept: 'Saved. The other one is under Versions',
    theirsKept: 'Theirs is back. Yours is under Versions',
    mineDropped: 'Your changes were dropped',
  },
};
