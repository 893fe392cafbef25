/** Renders a campaign for one of its contacts, as it would be sent. */
import { sql } from 'kysely';
import { isInBook } from '../audience/contact-books/deleted-books.ts';
import { parseAddress, parseMailbox, type Address } from '../../mail/mime/address.ts';
import type { Db } from '../../platform/database/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { PublicLinks } from '../content/links/links.ts';
import { findCampaign, type CampaignCaller, type CampaignRow } from './campaign-row.ts';
import type { CampaignPreview } from './campaigns.schema.ts';
import { compileVariant, loadCampaign } from './campaign-renderer.ts';
import { withLanguage } from './languages.ts';
import { findRecipient } from './test-campaign.ts';

/** The recipient of a preview when the book has no contacts. */
const SAMPLE_RECIPIENT = parseAddress('reader@example.com')!;

export async function previewCampaign(
  db: Db,
  caller: CampaignCaller,
  campaignId: string,
  {
    to: requested,
    variant,
    language,
  }: {
    to?: Address | null | undefined;
    variant?: number | null | undefined;
    language?: string | null | undefined;
  },
  links: PublicLinks,
): Promise<CampaignPreview> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const campaign = (await loadCampaign(db, teamId, id))!;
  const compiled = await compileVariant(campaign, variant ?? null, links);
  if (!compiled) throw badRequest('The content of this campaign cannot be rendered.');
  const address = requested ?? (await findNewestContact(db, campaign)) ?? SAMPLE_RECIPIENT;
  const recipient = await findRecipient(db, campaign, parseMailbox(campaign.sender)!.domain, address);
  // No contact has this ID, so the unsubscribe link in a preview unsubscribes no one.
  const shown = withLanguage({ ...recipient, contactId: newUuid() }, language);
  return { to: address.email, ...compiled.show(shown) };
}

async function findNewestContact(db: Db, { teamId, contactBookIds }: CampaignRow): Promise<Address | null> {
  const { rows } = await sql<Row<'contacts', 'email'>>`
    select email from contacts where team_id = ${teamId} and contact_book_id = ${contactBookIds[0] ?? null}
      and ${isInBook('contacts')}
    order by id desc limit 1
  `.execute(db);
  return rows[0] ? parseAddress(rows[0].email) : null;
}
