export const mediaTexts = {
  title: 'Images',
  lead: 'The images of your emails. Each has a public URL that stays the same.',
  upload: 'Upload images',
  emptyTitle: 'No images yet',
  emptyText: 'Upload a logo or a photo, or drop one here. Images that you add to an email appear here too.',
  open: (name: string) => `Open ${name}`,
  copyUrl: (name: string) => `Copy the URL of ${name}`,
  copied: 'URL copied',
  deleted: 'Image deleted',
};
