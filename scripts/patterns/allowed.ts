/** Expressions that take more than linear time, each with the reason why that is harmless. */
export const ALLOWED_PATTERNS: Record<string, string> = {
  // config.ts
  [String.raw`/^(?:\[([0-9a-f:.]+)\]|([^:]+)|([0-9a-f:.]+:[0-9a-f:.]+))(?::(\d{1,5}))?$/i`]:
    "DNS_SERVERS is the operator's own setting.",
  // features/content/links/links.ts
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

/** Expressions that are made at run time, by file, each with the reason why no customer's text is in it. */
export const ALLOWED_MADE: Record<string, string> = {
  [String.raw`src/features/account/team-move/copy-jobs.ts /(?<= )x(?= |$)/`]: 'It has the number of a team.',
  [String.raw`src/features/delivery/reports/simulate-reader.ts /x([\w-]+)/g`]:
    'It has a path of our own links.',
  [String.raw`src/http/requests/accept-encoding.ts /\bx\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/`]:
    'It has br or gzip.',
  [String.raw`src/mail/bounces/classify-bounce.ts /\s(?=x[ -])/`]: 'It has three digits.',
  [String.raw`src/mail/html/foreign-tags.ts /^x$/`]: 'It has our own pattern of a merge tag.',
  [String.raw`src/mail/imap/fetch-items.ts /x(?=[ ]|$)/iy`]: 'It has ALL, FAST or FULL.',
  [String.raw`src/mail/mime/threading.ts /^(?:x) ?(?:(?:\[\d{1,4}\]|\(\d{1,4}\)) ?)?[:：] ?/iu`]:
    'It has our own list of prefixes.',
  [String.raw`src/platform/embedded-postgres/runner.ts /^x:[^:]*:(\d+):(\d+):/m`]:
    'It has postgres or nobody.',
  [String.raw`web/editor/nodes/variable-node.ts /x$/`]: 'It has our own pattern of a merge tag.',
};
