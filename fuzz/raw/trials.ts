/** Byte sequences for the HTTP port that no HTTP library would send. */
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

export interface Trial {
  name: string;
  /** The pieces are written one after the other. */
  writes(random: Random, world: World): (string | Buffer)[];
  /**
   * The expected result. `refused`: every response is a 4xx, or the connection is closed without one. `answered`: any
   * response under 500, or the connection is closed. `cut`: the client disconnects without waiting.
   */
  expects: 'refused' | 'answered' | 'cut';
  /** The pause between two writes. */
  pauseMs?: number;
}

const HOST = 'Host: here.test\r\n';
const GET = `GET /healthz HTTP/1.1\r\n${HOST}`;
const POST = `POST /api/v1/contactBooks HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const BODY = '{"name":"x"}';

function refused(name: string, ...writes: (string | Buffer)[]): Trial {
  return { name, writes: () => writes, expects: 'refused' };
}

function answered(name: string, ...writes: (string | Buffer)[]): Trial {
  return { name, writes: () => writes, expects: 'answered' };
}

function cut(name: string, ...writes: string[]): Trial {
  return { name, writes: () => writes, expects: 'cut' };
}

const REQUEST_LINES: Trial[] = [
  'GET',
  '/ HTTP/1.1',
  'GET /healthz HTTP/1.1 x',
  'GET /healthz HTTP/9.9',
  'GET /healthz HTTP/1',
  'GET /healthz http/1.1',
  'GET /health\0z HTTP/1.1',
  'GET /health\x01\x7fz HTTP/1.1',
  'GET healthz HTTP/1.1',
  'G\0ET /healthz HTTP/1.1',
  'GOT /healthz HTTP/1.1',
  'get /healthz HTTP/1.1',
  'CONNECT here.test:443 HTTP/1.1',
  'TRACE /healthz HTTP/1.1',
  'QUIT',
].map((line) => refused(`the request line ${JSON.stringify(line)}`, `${line}\r\n${HOST}\r\n`));

const ODD_REQUEST_LINES: Trial[] = [
  'GET /',
  'GET  /healthz HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET http://there.test/healthz HTTP/1.1',
  'GET http:///// HTTP/1.1',
  'GET //healthz HTTP/1.1',
  'GET /../../etc/passwd HTTP/1.1',
  'GET /%00%ff%fe%2e%2e%2f HTTP/1.1',
  'GET /api/v1/emails?cursor=%00&cursor=%ff&limit[]=1&limit=1&__proto__[x]=1 HTTP/1.1',
  'GET /healthz\xff\xfe HTTP/1.1',
  'GET /#/?#? HTTP/1.1',
  'GET /healthz HTTP/1.0',
].map((line) =>
  answered(`the request line ${JSON.stringify(line)}`, Buffer.from(`${line}\r\n${HOST}\r\n`, 'latin1')),
);

const HEADERS: Trial[] = [
  refused('no Host', 'GET /healthz HTTP/1.1\r\n\r\n'),
  refused('two Hosts', `${GET}Host: there.test\r\n\r\n`),
  refused('two Hosts, far apart', `${GET}${'a:b\r\n'.repeat(2_500)}Host: there.test\r\n\r\n`),
  refused('a Host with a NUL', 'GET /healthz HTTP/1.1\r\nHost: here\0.test\r\n\r\n'),
  refused('a NUL in a header', `${GET}X-A: a\0b\r\n\r\n`),
  refused('a bare CR in a header', `${GET}X-A: a\rX-B: b\r\n\r\n`),
  refused('a header without a colon', `${GET}X-A\r\n\r\n`),
  refused('a header without a name', `${GET}: x\r\n\r\n`),
  refused('a space before the colon', `${GET}X-A : x\r\n\r\n`),
  refused('a header name of 8-bit characters', Buffer.from(`${GET}X-\xff: x\r\n\r\n`, 'latin1')),
  refused('a header that is too large', `${GET}X-A: ${'a'.repeat(1_000_000)}\r\n\r\n`),
  refused('a request line that is too long', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n${HOST}\r\n`),
  refused('too many headers', `${GET}${'a: b\r\n'.repeat(100_000)}\r\n`),
  refused('a header line without an end', `${GET}X-A: `, 'a'.repeat(100_000)),
  answered('a folded header', `${GET}X-A: a\r\n b\r\n\r\n`),
  answered('two thousand headers', `${GET}${'a:b\r\n'.repeat(2_000)}\r\n`),
  answered('empty lines before the request', `${'\r\n'.repeat(1_000)}${GET}\r\n`),
  answered('lines that end in a bare LF', 'GET /healthz HTTP/1.1\nHost: here.test\n\n'),
  answered('garbage cookies', `${GET}Cookie: ph_session=%00%ff; ph_session=; =; ;;; ph_session\r\n\r\n`),
  answered('two Authorization headers', `${GET}Authorization: Bearer x\r\nAuthorization: Basic y\r\n\r\n`),
  answered('a Range past the end', `${GET}Range: bytes=99999999999999999999-, -1, x\r\n\r\n`),
];

const BODIES: Trial[] = [
  refused('two Content-Lengths', `${POST}Content-Length: 12\r\nContent-Length: 5\r\n\r\n${BODY}`),
  refused('a list of Content-Lengths', `${POST}Content-Length: 12, 5\r\n\r\n${BODY}`),
  refused('a negative Content-Length', `${POST}Content-Length: -1\r\n\r\n${BODY}`),
  refused('a Content-Length with a sign', `${POST}Content-Length: +12\r\n\r\n${BODY}`),
  refused('a hexadecimal Content-Length', `${POST}Content-Length: 0xc\r\n\r\n${BODY}`),
  refused('a Content-Length past 64 bits', `${POST}Content-Length: 99999999999999999999\r\n\r\n${BODY}`),
  refused(
    'a Content-Length beside chunks',
    `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  refused('an unknown Transfer-Encoding', `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`),
  refused('a Transfer-Encoding that is garbage', `${POST}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`),
  ...[
    'zz\r\nx\r\n0\r\n\r\n',
    '-1\r\nx\r\n0\r\n\r\n',
    'fffffffffffffffff\r\nx\r\n0\r\n\r\n',
    '1\r\nxyz\r\n0\r\n\r\n',
    '1 ; a=b\r\nx\r\n0\r\n\r\n',
    `1;${'a'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`,
    `0\r\n${'a: b\r\n'.repeat(50_000)}\r\n`,
    '\0\0\0\0',
  ].map((chunks) =>
    refused(
      `the chunks ${JSON.stringify(chunks.slice(0, 20))}`,
      `${POST}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
    ),
  ),
  refused('an expectation that nobody knows', `${POST}Expect: 200-ok\r\nContent-Length: 12\r\n\r\n${BODY}`),
  refused('a compressed body', `${POST}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\b\0`),
];

const UPGRADES: Trial[] = ['websocket', 'h2c', 'TLS/1.3', 'x, y, z'].map((protocol) =>
  answered(
    `an upgrade to ${protocol}`,
    `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n\x81\x85\x37\xfa\x21\x3d',
  ),
);

const OTHER_PROTOCOLS: Trial[] = [
  refused('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('a TLS hello', Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc', 'latin1')),
  refused('an SMTP dialogue', 'EHLO here.test\r\nMAIL FROM:<a@b.test>\r\n'),
  refused('the PROXY protocol', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${GET}\r\n`),
  {
    name: 'random bytes',
    writes: (random) => [Buffer.from(Array.from({ length: 5_000 }, () => random.int(256)))],
    expects: 'refused',
  },
];

const PIPELINES: Trial[] = [
  answered('junk behind a request', `${GET}\r\n\0\0\0\xff${'junk'.repeat(1_000)}`),
  answered('junk between requests', `${GET}\r\n`.repeat(3), 'junk\r\n\r\n', `${GET}\r\n`.repeat(3)),
  answered('more requests than are taken', `${GET}\r\n`.repeat(2_000)),
  {
    name: 'a request that is cut in pieces',
    writes: (random) => {
      const text = `${GET}Content-Length: 0\r\nX-A: ${'a'.repeat(100)}\r\n\r\n`;
      const at = 1 + random.int(text.length - 2);
      return [text.slice(0, at), text.slice(at)];
    },
    expects: 'answered',
    pauseMs: 5,
  },
  { name: 'a request byte by byte', writes: () => [...`${GET}\r\n`], expects: 'answered', pauseMs: 1 },
];

const CUT: Trial[] = [
  cut('a connection without a byte'),
  cut('half of a request line', 'GET /heal'),
  cut('half of the headers', `${GET}X-`),
  cut('half of a body', `${POST}Content-Length: 1000\r\n\r\n{"name":`),
  cut('half of a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nff\r\n{"name":`),
  cut('Expect: 100-continue without the body', `${POST}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n`),
  {
    name: 'a stream of events that nobody reads',
    writes: (_, { keys, kept }) => [
      `GET /api/v1/mailboxes/${kept.mailboxes![0]}/events HTTP/1.1\r\n${HOST}Authorization: Bearer ${keys.full}\r\n\r\n`.repeat(
        10,
      ),
    ],
    expects: 'cut',
  },
];

export const TRIALS: Trial[] = [
  ...REQUEST_LINES,
  ...ODD_REQUEST_LINES,
  ...HEADERS,
  ...BODIES,
  ...UPGRADES,
  ...OTHER_PROTOCOLS,
  ...PIPELINES,
  ...CUT,
];
