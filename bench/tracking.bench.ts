/**
 * Opens and clicks after a campaign: every request has the link of another email, until all were visited. They are
 * compared with a plain server that sends the same bytes. Afterwards the visits in the database are counted, and a
 * missing one fails the row.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createPublicLinks, type EmailRef } from '../src/features/content/links/links.ts';
import { loadInstanceSecret } from '../src/platform/crypto.ts';
import { newUuid } from '../src/platform/ids.ts';
import { head, type Door } from './contact-loads.ts';
import { forkProgram } from './forked.ts';
import { openLoad, type Load } from './load.ts';
import { compareOpen, type Measured } from './measure.ts';
import { addDomain, startPosthorn, type Posthorn } from './posthorn.ts';
import { suite, type Row } from './suite.ts';
import type { TrackingLimitOrder } from './tracking.limit.ts';

type Kind = 'open' | 'click';

interface World {
  posthorn: Posthorn;
  limitPort: number;
  paths: Record<Kind, string[]>;
}

interface Visits {
  opens: number;
  humanOpens: number;
  clicks: number;
  humanClicks: number;
}

const CONNECTIONS = 32;
const EMAILS = 20_000;
/** At least this many visits are sent and then counted. */
const BURST = 10_000;
const BURST_MS = 400;
const WRITTEN_WITHIN_MS = 30_000;
/** The URL is as long as typical links of shops. */
const TARGET =
  'https://shop.example/spring/offers?utm_source=news&utm_medium=email&utm_campaign=2026-11&product=4711#reviews';
/** The address of the links. Only what follows it is requested. */
const LINK_BASE = 'http://bench.test';
const STATUS: Record<Kind, number> = { open: 200, click: 302 };
const VISITOR =
  'user-agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r\n' +
  'accept: image/avif,image/webp,*/*;q=0.8\r\naccept-language: en-GB,en;q=0.5\r\naccept-encoding: gzip, deflate, br\r\n';

export const trackingSuite = suite(openWorld, [
  row('GET open pixel, 32 connections', 'open'),
  row('GET click, 32 connections', 'click'),
]);

function row(name: string, kind: Kind): Row<World> {
  return { name, unit: 'requests/s', wanted: () => 0.5, measure: (world) => measure(world, kind) };
}

async function measure({ posthorn, limitPort, paths }: World, kind: Kind): Promise<Measured> {
  const before = await countVisits(posthorn);
  const ours = visitLoad({ port: posthorn.port, headers: VISITOR }, paths[kind], STATUS[kind]);
  const limit = visitLoad({ port: limitPort, headers: VISITOR }, [`/${kind}`], STATUS[kind]);
  const [ourOpen, limitOpen] = [await openLoad(ours, CONNECTIONS), await openLoad(limit, CONNECTIONS)];
  const measured = await compareOpen(ourOpen, limitOpen, {});
  await sendBurst(ours);
  await expectAll(posthorn, before, kind, ours.sent());
  return measured;
}

interface VisitLoad extends Load {
  sent(): number;
}

function visitLoad(door: Door, paths: string[], status: number): VisitLoad {
  const requests = paths.map((path) => head('GET', path, door, null));
  let sent = 0;
  return {
    port: door.port,
    status,
    sent: () => sent,
    nextRequest: () => requests[sent++ % requests.length]!,
  };
}

/** On a slow machine the rounds alone send fewer than BURST. */
async function sendBurst(load: VisitLoad): Promise<void> {
  const open = await openLoad(load, CONNECTIONS);
  for (const until = load.sent() + BURST; load.sent() < until;) await open.run(BURST_MS);
  open.close();
}

async function expectAll(posthorn: Posthorn, before: Visits, kind: Kind, sent: number): Promise<void> {
  const [all, human] =
    kind === 'open' ? (['opens', 'humanOpens'] as const) : (['clicks', 'humanClicks'] as const);
  const deadline = Date.now() + WRITTEN_WITHIN_MS;
  for (;;) {
    const now = await countVisits(posthorn);
    const [counted, ofPeople] = [now[all] - before[all], now[human] - before[human]];
    if (counted === sent && ofPeople === sent) return;
    if (Date.now() > deadline || counted > sent || ofPeople > sent)
      throw new Error(
        `Of ${sent} ${all} that got a response, ${counted} were counted, ${ofPeople} of them as visits of people.`,
      );
    await sleep(50);
  }
}

async function countVisits({ database }: Posthorn): Promise<Visits> {
  const { rows } = await sql<Visits>`
    select coalesce(sum(opens), 0)::bigint as opens, coalesce(sum(human_opens), 0)::bigint as "humanOpens",
      coalesce(sum(clicks), 0)::bigint as clicks, coalesce(sum(human_clicks), 0)::bigint as "humanClicks"
    from email_visits
  `.execute(database.db);
  return rows[0]!;
}

async function openWorld(): Promise<World> {
  const posthorn = await startPosthorn();
  const { id: domainId, teamId } = await addDomain(posthorn);
  const emails = Array.from({ length: EMAILS }, (): EmailRef => ({ teamId, emailId: newUuid() }));
  await fill(posthorn, domainId, emails);
  // Recipients do not open emails in the order in which they were sent.
  shuffle(emails);
  const links = createPublicLinks(loadInstanceSecret(posthorn.dataDir), LINK_BASE);
  const pathOf = (link: string) => link.slice(LINK_BASE.length);
  const paths = {
    open: emails.map((email) => pathOf(links.open(email))),
    click: emails.map((email) => pathOf(links.click(email, TARGET))),
  };
  const order: TrackingLimitOrder = {
    '/open': await recordResponse(posthorn, paths.open[0]!),
    '/click': await recordResponse(posthorn, paths.click[0]!),
  };
  const program = forkProgram(new URL('./tracking.limit.ts', import.meta.url));
  const { port: limitPort } = await program.ask<{ port: number }>(order);
  return { posthorn, limitPort, paths };
}

/** Requests the path as a bot, so that no visit of a person is counted. */
async function recordResponse(posthorn: Posthorn, path: string): Promise<TrackingLimitOrder[string]> {
  const answer = await fetch(`http://127.0.0.1:${posthorn.port}${path}`, {
    redirect: 'manual',
    headers: { 'user-agent': 'bench-bot/1' },
  });
  const headers = Object.fromEntries(answer.headers);
  // Node adds these headers itself on both sides.
  for (const name of ['date', 'connection', 'keep-alive']) delete headers[name];
  return {
    status: answer.status,
    headers,
    body: Buffer.from(await answer.arrayBuffer()).toString('base64'),
  };
}

function shuffle(list: unknown[]): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}

async function fill({ database }: Posthorn, domainId: number, emails: EmailRef[]): Promise<void> {
  await sql`
    insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
      reply_to, subject, message_id, first_tried_at)
    select ${emails[0]!.teamId}, id, ${domainId}, 'api', 'DELIVERED', 'a@bench.test', '{b@example.org}', '{}', '{}', '{}',
      'Bench', '<' || id || '@bench.test>', now()
    from unnest(${emails.map(({ emailId }) => emailId)}::uuid[]) as id
  `.execute(database.db);
  await sql`vacuum analyze emails`.execute(database.db);
}
