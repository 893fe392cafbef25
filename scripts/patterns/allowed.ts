/** Expressions that take more than linear time, each with the reason why that is harmless. */
export const ALLOWED_PATTERNS: Record<string, string> = {
  // config.ts
  [String.raw`/^(?:\[([0-9a-f:.]+)\]|([^:]+)|([0-9a-f:.]+:[0-9a-f:.]+))(?::(\d{1,5}))?$/i`]:
    "DNS_SERVERS is the operator's own setting.",
  // features/sending/links/links.ts
  [String.raw`/\/+$/`]: "BASE_URL is the operator's own setting.",
  // http/docs/json.ts
  [String.raw`/"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g`]:
    'It reads the examples of our own routes.',
  // http/openapi/openapi-errors.ts
  [String.raw`/.*\{(\w+)Id\}/`]: 'It reads the paths of our own routes.',
  // mail/mime/parse/parse-headers.ts, both
  [String.raw`/ *([@.]) */g`]: 'The address has at most 320 characters.',
  [String.raw`/^([^[]*?)[>\]]+$/`]: 'The address has at most 320 characters.',
  // mail/smtp/reply.ts
  [String.raw`/user unknown|unknown (?:user|recipient|mailbox|address|local)|(?:no such|invalid|unknown|bad) (?:local )?(?:user|recipient|mailbox|account|address)|no (?:user|mailbox|account)(?: here)? (?:by|with) that name|(?:user|recipient|mailbox|account|address)[^.]{0,60} (?:not found|unknown|(?:does not|doesn.?t) exist|is invalid)|not (?:a )?(?:valid|known) (?:user|recipient|mailbox)/i`]:
    'The text has at most 1,000 characters, and 60 steps for each start are linear.',
  // platform/embedded-postgres/connect-or-start.ts
  [String.raw`/lock file ".*" (already exists|is empty)|shared memory block .* is still in use/`]:
    'It reads what our own PostgreSQL server wrote.',
};
