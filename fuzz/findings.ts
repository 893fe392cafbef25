/** What the run found: each kind of fault once, with its first request in a file from which it can be sent again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One exchange with the product, as it went over the wire. */
export interface Exchange {
  /** For people: `POST /v1/emails, to: 150,000 zeros`. */
  name: string;
  /** What faults are grouped by, such as the operation. */
  group: string;
  http?: { method: string; url: string; headers: Record<string, string>; body: Buffer | null };
  /** For what is not a well-formed HTTP request: what the client wrote, and to which port. */
  wire?: { port: number; bytes: Buffer };
}

export interface Finding {
  fault: string;
  detail: string;
  count: number;
  /** Which exchanges may have caused it. Only a fault of the whole process has more than one. */
  exchanges: Exchange[];
}

export interface Findings {
  /** `fault` names the kind of fault; `detail` says what was seen this time. */
  add(fault: string, detail: string, exchanges: Exchange[]): void;
  all(): Finding[];
}

const INLINE_BYTES = 300;

export function createFindings(): Findings {
  const found = new Map<string, Finding>();
  return {
    add(fault, detail, exchanges) {
      const key = `${fault} ${exchanges[0]?.group ?? ''}`;
      const known = found.get(key);
      if (known) known.count += 1;
      else found.set(key, { fault, detail, count: 1, exchanges });
    },
    all: () => [...found.values()],
  };
}

/** Writes large requests into `folder` and returns the findings as text. */
export function describeFindings(findings: Finding[], folder: string): string {
  return findings.map((finding, index) => describe(finding, index + 1, folder)).join('\n\n');
}

function describe({ fault, detail, count, exchanges }: Finding, number: number, folder: string): string {
  const times = count === 1 ? '' : ` (${count} times)`;
  const requests = exchanges.map((exchange, index) =>
    describeExchange(exchange, join(folder, `finding-${number}${index === 0 ? '' : `-${index + 1}`}`)),
  );
  return [`${number}. ${fault}${times}: ${detail}`, ...requests].join('\n');
}

function describeExchange({ name, http, wire }: Exchange, file: string): string {
  if (http) {
    const headers = Object.entries(http.headers).map(([key, value]) => `-H ${quote(`${key}: ${value}`)}`);
    const body = http.body ? describeBody(http.body, `${file}.body`) : '';
    return `   ${name}\n   curl -i -X ${http.method} ${headers.join(' ')}${body} ${quote(http.url)}`;
  }
  if (wire) {
    save(`${file}.bytes`, wire.bytes);
    return `   ${name}\n   nc 127.0.0.1 ${wire.port} < ${file}.bytes`;
  }
  return `   ${name}`;
}

function describeBody(body: Buffer, file: string): string {
  const text = body.toString();
  // Text that a terminal shows as it is can stand in the line itself.
  if (body.length <= INLINE_BYTES && /^[ -~]*$/.test(text)) return ` --data-binary ${quote(text)}`;
  save(file, body);
  return ` --data-binary @${file}`;
}

function save(file: string, bytes: Buffer): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, bytes);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
