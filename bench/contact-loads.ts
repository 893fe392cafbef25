/** Requests about contacts as prepared bytes. */
import type { Load } from './load.ts';

/** The target of a request: Posthorn with the path of the API, or the limit program with its own path. */
export interface Door {
  port: number;
  /** Additional header lines. */
  headers: string;
}

export interface CountingLoad extends Load {
  /** The number of contacts in all requests so far. */
  contacts(): number;
}

const EMAIL_LETTERS = 7;
const LETTERS = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');
const BULK_CONTACT =
  '{"email":"aaaaaaa@example.com","firstName":"Grace","lastName":"Hopper","properties":{"city":"Arlington","plan":"gold"}}';

let serial = 0;

/** Writes a new random name. Consecutive names would all go to the same index page. */
function writeNewName(into: Buffer, at: number): void {
  const bits = Math.imul(++serial, 0x9e3779b1);
  for (let letter = 0; letter < EMAIL_LETTERS; letter++) {
    into[at + letter] = LETTERS[(bits >>> (letter * 5)) & 31]!;
  }
}

export function getLoad(door: Door, path: string): Load {
  const request = head('GET', path, door, null);
  return { port: door.port, nextRequest: () => request };
}

export function postContactLoad(door: Door, path: string): CountingLoad {
  const name = Buffer.alloc(EMAIL_LETTERS);
  const before = '{"email":"';
  const after = '@example.com","firstName":"Grace","lastName":"Hopper","properties":{"city":"Arlington"}}';
  const start = head('POST', path, door, before.length + EMAIL_LETTERS + after.length) + before;
  let contacts = 0;
  return {
    port: door.port,
    contacts: () => contacts,
    nextRequest() {
      contacts += 1;
      writeNewName(name, 0);
      return start + name.toString('latin1') + after;
    },
  };
}

/** Cycles through many contacts, because requests for a single one would wait for its row lock. */
export function patchContactLoad(door: Door, paths: string[]): Load {
  const names = ['Grace', 'Edith', 'Maria', 'Alice'];
  const requests = paths.map((path, index) => {
    const body = `{"firstName":"${names[index % names.length]}","properties":{"visits":${100 + (index % 900)}}}`;
    return head('PATCH', path, door, body.length) + body;
  });
  let at = 0;
  return { port: door.port, nextRequest: () => requests[at++ % requests.length]! };
}

/** Uses one buffer per connection, in which only the addresses change. */
export function postBulkLoad(door: Door, path: string, size: number): CountingLoad {
  const body = `[${Array.from({ length: size }, () => BULK_CONTACT).join(',')}]`;
  const start = head('POST', path, door, body.length);
  const firstName = start.length + 1 + '{"email":"'.length;
  const buffers = new Map<number, Buffer>();
  let contacts = 0;
  return {
    port: door.port,
    contacts: () => contacts,
    nextRequest(connection) {
      const buffer = buffers.get(connection) ?? Buffer.from(start + body);
      buffers.set(connection, buffer);
      for (let index = 0; index < size; index++) {
        writeNewName(buffer, firstName + index * (BULK_CONTACT.length + 1));
      }
      contacts += size;
      return buffer;
    },
  };
}

export function head(method: string, path: string, { headers }: Door, bodyLength: number | null): string {
  const length =
    bodyLength === null ? '' : `content-type: application/json\r\ncontent-length: ${bodyLength}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}${length}\r\n`;
}
