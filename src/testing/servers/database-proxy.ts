import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import pg from 'pg';

/**
 * A TCP proxy in front of the database that lists the open connections. While it `holds`, it forwards nothing.
 * `cutOff` makes the current connections silent without closing them. With `losesNotifications` it behaves as a
 * connection pooler in transaction mode does to LISTEN.
 */
export async function startDatabaseProxy(databaseUrl: string) {
  // Parse the URL as the driver does, because it may contain the folder of a socket.
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const isFolder = host.startsWith('/');
  const guests = new Set<Socket>();
  const held: (() => void)[] = [];
  const lines = new Set<Socket>();
  const proxy = {
    guests,
    holds: false,
    losesNotifications: false,
    url: '',
    letIn: () => held.forEach((letIn) => letIn()),
    cutOff() {
      for (const line of lines) line.unpipe().pause();
    },
  };
  const server = createServer((guest) => {
    const inside = isFolder ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    guests.add(guest);
    guest.on('close', () => guests.delete(guest));
    for (const [one, other] of [
      [guest, inside],
      [inside, guest],
    ] as const) {
      lines.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        lines.delete(one);
        other.destroy();
      });
    }
    if (proxy.losesNotifications) inside.pipe(withoutNotifications()).pipe(guest);
    else inside.pipe(guest);
    const letIn = () => void guest.pipe(inside);
    if (proxy.holds) held.push(letIn);
    else letIn();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String((server.address() as AddressInfo).port));
  proxy.url = url.href;
  return {
    proxy,
    close() {
      server.close();
      for (const line of lines) line.destroy();
    },
  };
}

/** A message of the server is a type, its length without the type, and the content. */
function withoutNotifications(): Transform {
  let input: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      input = Buffer.concat([input, bytes]);
      while (input.length >= 5 && input.length >= 1 + input.readInt32BE(1)) {
        const message = input.subarray(0, 1 + input.readInt32BE(1));
        input = input.subarray(message.length);
        if (message.toString('latin1', 0, 1) !== 'A') this.push(message);
      }
      done();
    },
  });
}
