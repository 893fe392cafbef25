/**
 * Lookups whose answers say whether the resolver has verified them with DNSSEC. They are for DANE, and only used if the
 * operator trusts the resolver and the way to it (DNS_DNSSEC=trusted): anyone on that way could set the AD bit.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { connect, isIPv6 } from 'node:net';
import {
  readName,
  readResponse,
  RECORD_TYPE,
  writeQuery,
  type DnsResponse,
  type RecordType,
} from './dns-message.ts';

/** `failed` also stands for records whose signatures are wrong: the resolver answers SERVFAIL. */
type SecureAnswer<Item> =
  { kind: 'found' | 'none'; isSecure: boolean; records: Item[] } | { kind: 'failed'; reason: string };

export interface TlsaRecord {
  usage: number;
  selector: number;
  matching: number;
  data: Buffer;
}

export interface SecureDns {
  /** The names of the mail servers. */
  mx(name: string): Promise<SecureAnswer<string>>;
  /** The name of a host after all aliases, if it has addresses. */
  host(name: string): Promise<SecureAnswer<string>>;
  tlsa(name: string): Promise<SecureAnswer<TlsaRecord>>;
}

const TRY_MS = 2_000;
const TRIES = 2;
const PORT = 53;
const MAX_ID = 65_536;
const NXDOMAIN = 3;

/** `servers` are written as `host[:port]`; null uses those of the system. */
export function createSecureDns(servers: string[] | null): SecureDns {
  async function ask(name: string, type: RecordType): Promise<DnsResponse | { problem: string }> {
    let problem = 'there is no DNS server';
    for (let round = 0; round < TRIES; round += 1) {
      for (const server of servers ?? getServers()) {
        const response = await askServer(parseServer(server), name, type);
        if (response && (response.rcode === 0 || response.rcode === NXDOMAIN)) return response;
        problem = response ? `the DNS server answered with code ${response.rcode}` : 'no response';
      }
    }
    return { problem: `${name}: ${problem}` };
  }

  async function find<Item>(
    name: string,
    type: RecordType,
    read: (answer: DnsResponse['answers'][number], message: Buffer) => Item | null,
  ): Promise<SecureAnswer<Item>> {
    const response = await ask(name, type);
    if ('problem' in response) return { kind: 'failed', reason: response.problem };
    const { answers, isAuthentic, message } = response;
    const records = answers
      .filter((answer) => answer.type === type)
      .flatMap((answer) => read(answer, message) ?? []);
    return { kind: records.length > 0 ? 'found' : 'none', isSecure: isAuthentic, records };
  }

  return {
    mx: (name) => find(name, RECORD_TYPE.MX, ({ at }, message) => readName(message, at + 2).name),
    tlsa: (name) => find(name, RECORD_TYPE.TLSA, ({ data }) => readTlsa(data)),
    async host(name) {
      const answers = await Promise.all([
        find(name, RECORD_TYPE.A, (answer) => answer.name),
        find(name, RECORD_TYPE.AAAA, (answer) => answer.name),
      ]);
      return (
        answers.find(({ kind }) => kind === 'found') ??
        answers.find(({ kind }) => kind === 'failed') ??
        answers[0]
      );
    },
  };
}

/** RFC 6698 section 2.1. */
function readTlsa(data: Buffer): TlsaRecord | null {
  if (data.length < 4) return null;
  return { usage: data[0]!, selector: data[1]!, matching: data[2]!, data: Buffer.from(data.subarray(3)) };
}

interface Server {
  address: string;
  port: number;
}

function parseServer(text: string): Server {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { address: inBrackets ?? plain ?? text, port: Number(port ?? PORT) };
}

/** Returns null if there is no response in time. A response that does not fit into a packet is asked for over TCP. */
async function askServer(server: Server, name: string, type: RecordType): Promise<DnsResponse | null> {
  const id = randomInt(MAX_ID);
  const query = writeQuery(id, name, type);
  const question = { id, name, type };
  const response = await askOverUdp(server, query, (message) => readResponse(message, question));
  if (!response?.isTruncated) return response;
  return askOverTcp(server, query, (message) => readResponse(message, question));
}

type Read = (message: Buffer) => DnsResponse | null;

function askOverUdp({ address, port }: Server, query: Buffer, read: Read): Promise<DnsResponse | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const timer = setTimeout(() => settle(null), TRY_MS);
    let isSettled = false;
    const settle = (response: DnsResponse | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      socket.close();
      resolve(response);
    };
    socket.on('error', () => settle(null));
    // Packets that do not answer the query may be forged, so the wait goes on.
    socket.on('message', (message) => {
      const response = read(message);
      if (response) settle(response);
    });
    // A connected socket gets packets only from the server.
    socket.connect(port, address, (error?: Error) => {
      if (error) settle(null);
      else socket.send(query, (failure) => failure && settle(null));
    });
  });
}

/** Two bytes with its length precede each message (RFC 1035 section 4.2.2). */
function askOverTcp({ address, port }: Server, query: Buffer, read: Read): Promise<DnsResponse | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    let input: Buffer = Buffer.alloc(0);
    const timer = setTimeout(() => settle(null), TRY_MS);
    const settle = (response: DnsResponse | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(response);
    };
    socket.on('error', () => settle(null));
    socket.on('close', () => settle(null));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (bytes: Buffer) => {
      input = Buffer.concat([input, bytes]);
      if (input.length >= 2 && input.length >= 2 + input.readUInt16BE(0))
        settle(read(input.subarray(2, 2 + input.readUInt16BE(0))));
    });
  });
}
