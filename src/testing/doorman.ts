import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';

/**
 * Stands before the database and knows who is connected; while it `holds`, nothing that they say gets through.
 * `cutOff` leaves who is connected now with a line that is open and dead.
 */
export async function startDoorman(databaseUrl: string) {
  // As the driver reads the URL, which may name the folder of a socket.
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  const isFolder = host.startsWith('/');
  const guests = new Set<Socket>();
  const held: (() => void)[] = [];
  const lines = new Set<Socket>();
  const doorman = {
    guests,
    holds: false,
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
    inside.pipe(guest);
    const letIn = () => void guest.pipe(inside);
    if (doorman.holds) held.push(letIn);
    else letIn();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.searchParams.set('host', '127.0.0.1');
  url.searchParams.set('port', String((server.address() as AddressInfo).port));
  doorman.url = url.href;
  return {
    doorman,
    close() {
      server.close();
      for (const line of lines) line.destroy();
    },
  };
}
