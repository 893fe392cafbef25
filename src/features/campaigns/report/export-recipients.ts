/** Streams the recipients of a campaign as CSV, page by page at the client's pace, like exports of contacts. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { exportQueue, writeCsvRow } from '../../../platform/csv.ts';
import type { Db } from '../../../platform/database/database.ts';
import { findCampaign, type CampaignCaller } from '../campaign-row.ts';
import { readRecipients } from './recipients.ts';
import type { ListedRecipient, RecipientFilters } from './recipients.schema.ts';

const PAGE_ROWS = 1_000;
const COLUMNS = [
  'email',
  'state',
  'reason',
  'status',
  'openedAt',
  'clickedAt',
  'contactId',
  'emailId',
] as const;

interface ExportRequest {
  caller: CampaignCaller;
  campaignId: string;
  filters: RecipientFilters;
  /** Throws if the client has disconnected. */
  throwIfDisconnected(): void;
}

/** Throws all expected errors before the response begins. */
export async function exportRecipients(
  db: Db,
  { caller, campaignId, filters, throwIfDisconnected }: ExportRequest,
): Promise<AsyncIterable<string>> {
  const campaign = await findCampaign(db, caller, campaignId);
  const readAfter = (after: string) =>
    exportQueue(caller.teamId, async () => {
      throwIfDisconnected();
      return readRecipients(db, campaign, filters, { after, limit: PAGE_ROWS });
    });
  return writePages(readAfter);
}

async function* writePages(
  readAfter: (after: string) => ReturnType<typeof readRecipients>,
): AsyncGenerator<string> {
  yield writeCsvRow([...COLUMNS]);
  for (let after: string | null = ''; after !== null;) {
    const { items, last }: Awaited<ReturnType<typeof readRecipients>> = await readAfter(after);
    // Let other requests run between pages.
    await nextTurn();
    if (items.length > 0) yield items.map(writeRecipient).join('');
    after = last;
  }
}

function writeRecipient(recipient: ListedRecipient): string {
  return writeCsvRow(COLUMNS.map((name) => recipient[name] ?? ''));
}
