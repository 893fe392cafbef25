/**
 * Writes DNS queries and reads their responses (RFC 1035 section 4), for what the resolver of Node.js does not tell: the
 * AD bit, which says that the resolver has verified the answer with DNSSEC (RFC 6840 section 5.8), and TLSA records.
 */

export const RECORD_TYPE = { A: 1, CNAME: 5, MX: 15, AAAA: 28, TLSA: 52 } as const;
export type RecordType = (typeof RECORD_TYPE)[keyof typeof RECORD_TYPE];

export interface DnsResponse {
  /** All of it, because names in records point to earlier ones. */
  message: Buffer;
  isTruncated: boolean;
  /** The resolver has verified the whole answer. */
  isAuthentic: boolean;
  rcode: number;
  /** `at` is the offset of the data. */
  answers: { type: number; name: string; data: Buffer; at: number }[];
}

const HEADER_BYTES = 12;
const RESPONSE = 0x8000;
const TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const AUTHENTIC = 0x0020;
const RCODE = 0x000f;
const CLASS_IN = 1;
const OPT = 41;
const UDP_BYTES = 1232;
const DNSSEC_OK = 0x8000;
const MAX_LABEL = 63;
const MAX_NAME = 253;
const POINTER = 0xc0;
const MAX_POINTERS = 100;
const MAX_ANSWERS = 200;

/** Throws for a name that no DNS message can have. */
export function writeQuery(id: number, name: string, type: RecordType): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(RECURSION_DESIRED | AUTHENTIC, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(1, 10);
  const end = Buffer.alloc(4);
  end.writeUInt16BE(type, 0);
  end.writeUInt16BE(CLASS_IN, 2);
  const opt = Buffer.alloc(11);
  opt.writeUInt16BE(OPT, 1);
  opt.writeUInt16BE(UDP_BYTES, 3);
  opt.writeUInt16BE(DNSSEC_OK, 7);
  return Buffer.concat([header, writeName(name), end, opt]);
}

function writeName(name: string): Buffer {
  const labels = name.replace(/\.$/, '').split('.');
  if (name.length > MAX_NAME || labels.some((label) => label === '' || label.length > MAX_LABEL))
    throw new Error(`${name} is no name of the DNS.`);
  const parts = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...parts, Buffer.alloc(1)]);
}

/** Returns null for bytes that are not a response to this query. */
export function readResponse(
  message: Buffer,
  { id, name, type }: { id: number; name: string; type: RecordType },
): DnsResponse | null {
  try {
    const flags = message.readUInt16BE(2);
    if (message.readUInt16BE(0) !== id || !(flags & RESPONSE) || message.readUInt16BE(4) !== 1) return null;
    const question = readName(message, HEADER_BYTES);
    if (
      question.name !== name.toLowerCase().replace(/\.$/, '') ||
      message.readUInt16BE(question.end) !== type
    )
      return null;
    const count = Math.min(message.readUInt16BE(6), MAX_ANSWERS);
    return {
      message,
      isTruncated: (flags & TRUNCATED) !== 0,
      isAuthentic: (flags & AUTHENTIC) !== 0,
      rcode: flags & RCODE,
      answers: readAnswers(message, question.end + 4, count),
    };
  } catch {
    return null;
  }
}

function readAnswers(message: Buffer, start: number, count: number): DnsResponse['answers'] {
  const answers: DnsResponse['answers'] = [];
  let at = start;
  for (let no = 0; no < count; no += 1) {
    const { name, end } = readName(message, at);
    const length = message.readUInt16BE(end + 8);
    const dataAt = end + 10;
    if (dataAt + length > message.length) throw new RangeError('The record is cut.');
    answers.push({
      name,
      type: message.readUInt16BE(end),
      data: message.subarray(dataAt, dataAt + length),
      at: dataAt,
    });
    at = dataAt + length;
  }
  return answers;
}

/** Returns the name in lower case without the final dot, and the offset after it. */
export function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let end: number | null = null;
  let at = start;
  for (let jumps = 0; ;) {
    const length = message.readUInt8(at);
    if ((length & POINTER) === POINTER) {
      end ??= at + 2;
      at = message.readUInt16BE(at) & ~(POINTER << 8);
      jumps += 1;
      if (jumps > MAX_POINTERS) throw new RangeError('The name does not end.');
    } else if (length === 0) {
      return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 };
    } else {
      if (at + 1 + length > message.length || labels.length > MAX_NAME)
        throw new RangeError('The name is cut.');
      labels.push(message.subarray(at + 1, at + 1 + length).toString('latin1'));
      at += 1 + length;
    }
  }
}
