/** Which attachments can be shown without downloading them. */

/** Without SVG, which is a document. */
export const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i;
export const PDF = /^application\/pdf$/i;
const TEXTS = /^(?:text\/(?:plain|csv|markdown|calendar|x-log)|application\/json)$/i;
const MAX_BYTES = 20 * 1024 * 1024;

export function canPreview({ content_type: type, size }: { content_type: string; size: number }): boolean {
  const bare = type.split(';')[0]!.trim();
  return (
    size <= MAX_BYTES &&
    (IMAGES.test(bare) || TEXTS.test(bare) || (PDF.test(bare) && navigator.pdfViewerEnabled))
  );
}
