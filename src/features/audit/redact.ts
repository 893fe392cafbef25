/** Takes secrets and the content of messages out of what is kept about a request. */

/** Parts of field names, in lower case without underscores, whose values are never kept. */
const SECRET_PARTS = [
  'password',
  'secret',
  'token',
  'privatekey',
  'apikey',
  'authorization',
  'recoverycode',
  'totp',
];
/** Whole field names, likewise. */
const HIDDEN_NAMES = new Set([
  'key',
  'code',
  'codes',
  'html',
  'text',
  'content',
  'body',
  'design',
  'attachments',
  'attachment',
  'variants',
  'translations',
  'snippet',
  'raw',
  'source',
  'preview',
  'displayhtml',
  'extractedtext',
  'note',
  'notes',
  'link',
  'url',
  'qr',
  'p256dh',
  'auth',
]);
const MAX_TEXT = 500;
const MAX_ITEMS = 50;
const MAX_DEPTH = 8;
const HIDDEN = '(hidden)';

/** Returns a copy that can be kept: no secrets, no content, and no long lists or texts. */
function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redact(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const names = Object.keys(value);
  const kept = names
    .slice(0, MAX_ITEMS)
    .map((name) => [name, redactField(name, (value as Record<string, unknown>)[name], depth)] as const);
  return Object.fromEntries(
    names.length > MAX_ITEMS ? [...kept, ['…', `${names.length - MAX_ITEMS} more`] as const] : kept,
  );
}

function redactField(name: string, value: unknown, depth: number): unknown {
  // null and flags say nothing about a secret, and show whether there is one.
  if (value === null || typeof value === 'boolean') return value;
  return isHidden(name) ? HIDDEN : redact(value, depth + 1);
}

function isHidden(name: string): boolean {
  const plain = name.toLowerCase().replaceAll('_', '').replaceAll('-', '');
  return HIDDEN_NAMES.has(plain) || SECRET_PARTS.some((part) => plain.includes(part));
}

/** As JSON of at most this many bytes. What is larger is left out. */
export function redactToJson(value: unknown, maxBytes: number): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(redact(value));
  if (text === undefined) return null;
  return Buffer.byteLength(text) <= maxBytes ? text : JSON.stringify('(too large)');
}
