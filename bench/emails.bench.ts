/** Accepting email over HTTP, compared with a plain insert of the same rows. */
import { doorOf } from './contact-world.ts';
import { head, type Door } from './contact-loads.ts';
import { startLimit } from './limit.ts';
import type { Load } from './load.ts';
import { compare } from './measure.ts';
import { addDomain, startPosthorn } from './posthorn.ts';
import { suite } from './suite.ts';

interface World {
  ours: Door;
  limit: Door;
  domainId: number;
}

export const BODY = JSON.stringify({
  from: 'a@bench.test',
  to: 'someone@example.org',
  subject: 'Your order is on its way',
  text: 'It left our house this morning and will be with you tomorrow.\n'.repeat(20),
});

export const emailsSuite = suite(openWorld, [
  {
    name: 'POST emails, 32 connections',
    unit: 'requests/s',
    wanted: () => 0.6,
    measure: ({ ours, limit, domainId }) =>
      compare(postLoad(ours, '/api/v1/emails'), postLoad(limit, `/insertEmail/${domainId}`), {
        connections: 32,
      }),
  },
  {
    // The limit is our own route, because the door only translates.
    name: 'POST emails through the Resend API, 32 connections',
    unit: 'requests/s',
    wanted: () => 0.9,
    measure: ({ ours }) =>
      compare(postLoad(ours, '/resend/emails'), postLoad(ours, '/api/v1/emails'), { connections: 32 }),
  },
]);

async function openWorld(): Promise<World> {
  const posthorn = await startPosthorn();
  const domain = await addDomain(posthorn);
  const port = await startLimit(posthorn.databaseUrl, domain.teamId);
  return { ours: doorOf(posthorn), limit: { port, headers: '' }, domainId: domain.id };
}

function postLoad(door: Door, path: string): Load {
  const request = head('POST', path, door, BODY.length) + BODY;
  return { port: door.port, nextRequest: () => request };
}
