/** Simulates the recipients complaint@, open@ and click@simulator.test, which react to a message. */
import { sql } from 'kysely';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Row } from '../../../platform/database/rows.ts';
import type { SimulatedReader } from '../../jobs/jobs.ts';
import { LINK_PATHS, type EmailRef, type PublicLinks } from '../../content/links/links.ts';
import { recordVisits, type PeopleVisits, type Visits } from '../../sending/visits/visits.ts';
import { openSandboxMessage } from '../sandbox/sandbox.ts';
import { recordReport } from './reports.ts';
import { enqueueReader } from '../transports/simulator.ts';

const USER_AGENT = 'Mozilla/5.0 (Posthorn simulator)';
/** The delivery is usually recorded before the job runs. */
const MAX_ROUNDS = 60;

/** Opens and clicks need tracking: without a pixel or a tracked link in the message, nothing is recorded. */
export async function simulateReader(db: Db, links: PublicLinks, reader: SimulatedReader): Promise<void> {
  const message = await findMessage(db, reader);
  if (!message) return;
  if (!message.isDelivered) return lookAgain(db, reader);
  if (reader.part === 'complaint') {
    await recordReport(db, reader, complaintAbout(message.recipient), { suppresses: false });
    return;
  }
  const { pixel, link } = findLinks(message.html, links);
  const atMs = performance.now();
  const people: PeopleVisits = {
    opens: pixel ? 1 : 0,
    clicks: 0,
    open: pixel && { atMs, userAgent: USER_AGENT },
    click: null,
  };
  let clickedLinks: Visits['clickedLinks'] = null;
  if (reader.part === 'click' && link) {
    clickedLinks = new Map([[link.url, { people: 1, machines: 0 }]]);
    people.clicks = 1;
    people.click = { atMs, userAgent: USER_AGENT, url: link.url };
  }
  const { opens, clicks } = people;
  if (opens + clicks === 0) return;
  const { teamId, emailId } = reader;
  await recordVisits(db, [{ teamId, emailId, opens, clicks, people, clickedLinks }]);
}

async function lookAgain(db: Db, reader: SimulatedReader): Promise<void> {
  const round = reader.round + 1;
  if (round < MAX_ROUNDS) await enqueueReader(db, { ...reader, round });
}

interface FoundMessage {
  recipient: string;
  isDelivered: boolean;
  html: string;
}

/** Returns the message that the sandbox stored; null if it was deleted in the meantime. */
async function findMessage(
  db: Db,
  { teamId, emailId, recipientNo }: SimulatedReader,
): Promise<FoundMessage | null> {
  const { rows } = await sql<{
    recipient: Row<'email_recipients'>['address'];
    isDelivered: boolean;
    bytes: Row<'sandbox_messages'>['raw'];
    inflatedSize: Row<'sandbox_messages'>['inflated_size'];
    isPrefix: Row<'sandbox_messages'>['is_prefix'];
  }>`
    select r.address as recipient, r.status = 'DELIVERED' as "isDelivered", m.raw as bytes,
      m.inflated_size as "inflatedSize", m.is_prefix as "isPrefix"
    from all_email_recipients r
    join sandbox_messages m on m.team_id = r.team_id and m.email_id = r.email_id and m.recipient = r.address
    where r.team_id = ${teamId} and r.email_id = ${emailId} and r.no = ${recipientNo}
    order by m.id desc limit 1
  `.execute(db);
  const row = rows[0];
  if (!row) return null;
  const { html } = row.isDelivered
    ? await parseMessage(await openSandboxMessage(db, { teamId, emailId, ...row }))
    : { html: null };
  return { recipient: row.recipient, isDelivered: row.isDelivered, html: html ?? '' };
}

function findLinks(
  html: string,
  links: PublicLinks,
): { pixel: EmailRef | null; link: ReturnType<PublicLinks['readClick']> } {
  const tokensAfter = (path: string) =>
    [...html.matchAll(new RegExp(`${path}([\\w-]+)`, 'g'))].map((match) => match[1]!);
  const [pixel = null] = tokensAfter(LINK_PATHS.open).flatMap((token) => links.readOpen(token) ?? []);
  const [link = null] = tokensAfter(LINK_PATHS.click).flatMap((token) => links.readClick(token) ?? []);
  return { pixel, link };
}

/** Builds a report as in RFC 5965. */
function complaintAbout(recipient: string): Buffer {
  const lines = [
    'From: feedback@simulator.test',
    'Subject: Complaint',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="report"',
    '',
    '--report',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: Posthorn-Simulator/1',
    'Version: 1',
    `Original-Rcpt-To: ${recipient}`,
    '',
    '--report--',
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
