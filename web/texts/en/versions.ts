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
  restored: 'Version restored. The content that it replaced is kept as a version',
  saveFirst: 'Save your changes first.',
  conflict: {
    text: 'You and someone else, or you in another tab, changed the same part. Choose which one to keep. The other one stays available under Versions.',
    /** Shown if the content must not be saved only to keep it, because applications or a schedule could send it. */
    textNow:
      'You and someone else, or you in another tab, changed the same part. Choose which one to keep. Theirs stays available under Versions, yours does not.',
    keepMine: 'Keep mine',
    takeTheirs: 'Use theirs',
    mineKept: 'Your changes were saved. The other ones are under Versions',
    theirsKept: 'The other changes were kept. Yours are under Versions',
    mineDropped: 'Your changes were discarded',
  },
};
