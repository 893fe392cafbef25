export const versionTexts = {
  open: 'Versions',
  title: 'Versions',
  lead: 'What was here before. Versions are kept for 30 days.',
  emptyTitle: 'No earlier versions yet',
  emptyText: 'A version is kept when you change the subject or the content.',
  shown: 'This version',
  savedAt: 'Saved',
  noSubject: 'No subject',
  restore: 'Restore',
  restored: 'Version restored. What it replaced is now a version too',
  saveFirst: 'Save your changes first.',
};
