/** The findings of a run: each kind of fault once, with its first request in a form that can be repeated. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One exchange with the server, as sent over the network. */
export interface Exchange {
  /** A readable name: `POST /v1/emails, to: 150,000 zeros`. */
  name: string;
  /** Faults are grouped by this, for example by the operation. */
  group: string;
  http?: { method: string; url: string; headers: Record<string, string>; body: Buffer | null };
  /** For an invalid HTTP request: the bytes that the client wrote, and the port. */
  wire?: { port: number; bytes: Buffer };
}

export interface Finding {
  fault: string;
  detail: string;
  count: number;
  /** The exchanges that may have caused it. Only a fault of the whole process has more than one. */
  exchanges: Exchange[];
}

export interface Findings {
  /** `fault` is the kind of fault; `detail` describes this occurrence. */
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
  // Short printable text is put on the command line itself.
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
