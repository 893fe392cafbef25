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
  'credential',
  'p256dh',
  'auth',
]);
const NO_NAMES: ReadonlySet<string> = new Set();
const MAX_TEXT = 500;
const MAX_ITEMS = 50;
const MAX_DEPTH = 8;
const HIDDEN = '(hidden)';
/** The code of an error, and not one that somebody signs in with. */
const ERROR_CODE = /^[A-Z]+(?:_[A-Z]+)+$/;

/** Returns a copy that can be kept: no secrets, no content, and no long lists or texts. */
function redact(value: unknown, alsoHidden: ReadonlySet<string>, depth = 0): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redact(item, alsoHidden, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const names = Object.keys(value);
  const kept = names
    .slice(0, MAX_ITEMS)
    .map(
      (name) =>
        [name, redactField(name, (value as Record<string, unknown>)[name], alsoHidden, depth)] as const,
    );
  return Object.fromEntries(
    names.length > MAX_ITEMS ? [...kept, ['…', `${names.length - MAX_ITEMS} more`] as const] : kept,
  );
}

function redactField(name: string, value: unknown, alsoHidden: ReadonlySet<string>, depth: number): unknown {
  // null and flags say nothing about a secret, and show whether there is one.
  if (value === null || typeof value === 'boolean') return value;
  if (name === 'code' && typeof value === 'string' && ERROR_CODE.test(value)) return value;
  return isHidden(name, alsoHidden) ? HIDDEN : redact(value, alsoHidden, depth + 1);
}

function isHidden(name: string, alsoHidden: ReadonlySet<string>): boolean {
  const plain = name.toLowerCase().replaceAll('_', '').replaceAll('-', '');
  return (
    HIDDEN_NAMES.has(plain) || alsoHidden.has(plain) || SECRET_PARTS.some((part) => plain.includes(part))
  );
}

/** As JSON of at most this many bytes. What is larger is left out. `alsoHidden` has names like HIDDEN_NAMES. */
export function redactToJson(
  value: unknown,
  maxBytes: number,
  alsoHidden: ReadonlySet<string> = NO_NAMES,
): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(redact(value, alsoHidden));
  if (text === undefined) return null;
  return Buffer.byteLength(text) <= maxBytes ? text : JSON.stringify('(too large)');
}
