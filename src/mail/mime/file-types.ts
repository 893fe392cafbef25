/** Maps file extensions to media types, and media types to file names. */
export const OCTETS = 'application/octet-stream';

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

// Names for parts that are sent without one.
const NAMES: Record<string, string> = {
  'application/ics': 'invite.ics',
  'application/pgp-encrypted': 'version.txt',
  'application/pgp-signature': 'signature.asc',
  'application/pkcs7-mime': 'smime.p7m',
  'application/pkcs7-signature': 'smime.p7s',
  'application/x-pkcs7-mime': 'smime.p7m',
  'application/x-pkcs7-signature': 'smime.p7s',
  'message/delivery-status': 'delivery-status.txt',
  'message/disposition-notification': 'disposition-notification.txt',
  'message/feedback-report': 'feedback-report.txt',
  'message/rfc822': 'message.eml',
  'text/calendar': 'invite.ics',
  'text/rfc822-headers': 'headers.txt',
};
// If several extensions have the same type, the last one is the most common.
const EXTENSIONS = new Map(
  Object.entries(TYPES).map(([extension, type]): [string, string] => [type, extension]),
);

export function typeOfFile(filename: string): string {
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(TYPES, extension) && TYPES[extension]) || OCTETS;
}

/** Returns a name for a file without one, or null when its type is unknown. */
export function nameOfType(type: string): string | null {
  if (Object.hasOwn(NAMES, type)) return NAMES[type]!;
  const extension = EXTENSIONS.get(type);
  if (!extension) return null;
  return `${type.startsWith('image/') ? 'image' : 'attachment'}.${extension}`;
}
