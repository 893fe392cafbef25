/**
 * A DNS server on loopback, over UDP and TCP on one port. Its zone is a plain object that may be changed while it runs;
 * other names do not exist. It follows CNAMEs within the zone, as a resolver would. A response that does not fit into a
 * UDP packet of 512 bytes is truncated, and the client repeats the query over TCP (RFC 1035 section 4.2.1).
 */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import packet, { type Answer, type Packet, type RecordType } from 'dns-packet';

export interface DnsRecords {
  /** A string is split into parts of 255 bytes; a list is one record of these parts. */
  TXT?: (string | string[])[];
  MX?: { priority: number; exchange: string }[];
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  CAA?: { flags?: number; tag: string; value: string }[];
  PTR?: string[];
  TLSA?: { usage: number; selector: number; matchingType: number; certificate: Buffer }[];
}

type DnsBehaviour =
  | 'normal'
  /** Never responds. */
  | 'silent'
  | 'servfail'
  | 'refused'
  /** Sends bytes that are not a DNS message. */
  | 'garbage'
  /** Sends a valid response to another query. */
  | 'wrong'
  | { slowMs: number }
  /** Responds normally after the promise is settled. */
  | { until: Promise<unknown> };

export interface DnsServer {
  /** `127.0.0.1:port`, in the form of DNS_SERVERS. */
  address: string;
  /** The names are in lower case, without the final dot. */
  zone: Record<string, DnsRecords>;
  /** Names, and those below them, whose answers have the AD bit, as from a resolver that has verified them. */
  signed: Set<string>;
  /** Names whose lookups fail, as of zones with wrong signatures. */
  bogus: Set<string>;
  queries: { name: string; type: string; over: 'udp' | 'tcp' }[];
  setBehaviour(behaviour: DnsBehaviour): void;
  close(): Promise<void>;
}

const MAX_UDP_BYTES = 512;
const MAX_STRING_BYTES = 255;
const TTL = 60;
const RCODE = { servfail: 2, nxdomain: 3, refused: 5 };

export async function startDnsServer(zone: Record<string, DnsRecords> = {}): Promise<DnsServer> {
  let isOpen = true;
  let behaviour: DnsBehaviour = 'normal';
  const queries: DnsServer['queries'] = [];
  const signed = new Set<string>();
  const bogus = new Set<string>();
  const sockets = new Set<Socket>();

  async function answer(message: Buffer, over: 'udp' | 'tcp'): Promise<Buffer | null> {
    const query = packet.decode(message);
    const question = query.questions?.[0];
    if (!question) return null;
    queries.push({ name: question.name, type: question.type, over });
    if (behaviour === 'silent') return null;
    if (behaviour === 'garbage') return Buffer.from('this is not DNS');
    if (typeof behaviour === 'object' && 'slowMs' in behaviour)
      await wait(behaviour.slowMs, undefined, { ref: false });
    if (behaviour === 'servfail' || behaviour === 'refused') return encode(query, RCODE[behaviour], []);
    if (behaviour === 'wrong')
      return encode({ ...query, questions: [{ ...question, name: 'elsewhere.test' }] }, 0, []);
    if (bogus.has(question.name.toLowerCase())) return encode(query, RCODE.servfail, []);
    const { answers, exists } = lookUp(zone, question.name, question.type);
    const isSigned = [...signed].some((name) => `.${question.name.toLowerCase()}`.endsWith(`.${name}`));
    const authentic = isSigned ? packet.AUTHENTIC_DATA : 0;
    const whole = encode(query, (exists ? 0 : RCODE.nxdomain) | authentic, answers);
    if (typeof behaviour === 'object' && 'until' in behaviour) await behaviour.until;
    if (over === 'tcp' || whole.length <= MAX_UDP_BYTES) return whole;
    return encode(query, packet.TRUNCATED_RESPONSE | authentic, []);
  }

  async function answerOverUdp(message: Buffer, from: RemoteInfo): Promise<void> {
    const reply = await answer(message, 'udp');
    if (reply && isOpen) udp.send(reply, from.port, from.address);
  }

  async function answerOverTcp(message: Buffer, socket: Socket): Promise<void> {
    const reply = await answer(message, 'tcp');
    if (!reply || socket.destroyed) return;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(reply.length);
    socket.write(Buffer.concat([length, reply]));
  }

  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    onTcpMessage(socket, (message) => void answerOverTcp(message, socket));
  });
  await new Promise<void>((listening) => tcp.listen(0, '127.0.0.1', listening));
  const { port } = tcp.address() as AddressInfo;

  const udp = createSocket('udp4');
  udp.on('message', (message, from) => {
    void answerOverUdp(message, from);
  });
  await new Promise<void>((bound, reject) => {
    udp.once('error', reject);
    udp.bind(port, '127.0.0.1', () => bound());
  });

  return {
    address: `127.0.0.1:${port}`,
    zone,
    signed,
    bogus,
    queries,
    setBehaviour(next) {
      behaviour = next;
    },
    async close() {
      isOpen = false;
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((closed) => udp.close(() => closed())),
        new Promise<void>((closed) => tcp.close(() => closed())),
      ]);
    },
  };
}

/** Over TCP, two bytes with its length precede each message (RFC 1035 section 4.2.2). */
function onTcpMessage(socket: Socket, onMessage: (message: Buffer) => void): void {
  let input: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    input = Buffer.concat([input, bytes]);
    while (input.length >= 2 && input.length >= 2 + input.readUInt16BE(0)) {
      const message = input.subarray(2, 2 + input.readUInt16BE(0));
      input = input.subarray(2 + message.length);
      onMessage(message);
    }
  });
}

function encode(query: Packet, flags: number, answers: Answer[]): Buffer {
  return packet.encode({
    type: 'response',
    id: query.id,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | flags,
    questions: query.questions,
    answers,
  });
}

function lookUp(
  zone: Record<string, DnsRecords>,
  name: string,
  type: RecordType,
  hops = 0,
): { answers: Answer[]; exists: boolean } {
  const records = zone[name.toLowerCase()];
  if (!records) return { answers: [], exists: false };
  if (records.CNAME && type !== 'CNAME' && hops < 8) {
    const alias: Answer = { type: 'CNAME', name, ttl: TTL, data: records.CNAME };
    const target = lookUp(zone, records.CNAME, type, hops + 1);
    return { answers: [alias, ...target.answers], exists: target.exists };
  }
  return { answers: toAnswers(records, name, type), exists: true };
}

function toAnswers(records: DnsRecords, name: string, type: RecordType): Answer[] {
  const at = { name, ttl: TTL };
  if (type === 'A' || type === 'AAAA') return (records[type] ?? []).map((data) => ({ type, ...at, data }));
  if (type === 'TLSA') return (records.TLSA ?? []).map((data) => ({ type, ...at, data }));
  if (type === 'PTR') return (records.PTR ?? []).map((data) => ({ type, ...at, data }));
  if (type === 'CNAME') return records.CNAME ? [{ type, ...at, data: records.CNAME }] : [];
  if (type === 'CAA')
    return (records.CAA ?? []).map(({ flags = 0, tag, value }) => ({
      type,
      ...at,
      data: { flags, tag, value } as never,
    }));
  if (type === 'TXT') return (records.TXT ?? []).map((text) => ({ type, ...at, data: toStrings(text) }));
  if (type === 'MX')
    return (records.MX ?? []).map(({ priority, exchange }) => ({
      type,
      ...at,
      data: { preference: priority, exchange },
    }));
  return [];
}

function toStrings(text: string | string[]): Buffer[] {
  if (Array.isArray(text)) return text.map((string) => Buffer.from(string));
  const bytes = Buffer.from(text);
  const strings: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += MAX_STRING_BYTES)
    strings.push(bytes.subarray(start, start + MAX_STRING_BYTES));
  return strings.length > 0 ? strings : [Buffer.alloc(0)];
}
