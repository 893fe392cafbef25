/** What a campaign says to one of its contacts, rendered as it is when it is sent. */
import { sql } from 'kysely';
import { parseAddress, type Address } from '../../mail/address.ts';
import type { Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { PublicLinks } from '../tracking/links.ts';
import { findCampaign, type Asking, type CampaignRow } from './campaign-row.ts';
import type { CampaignPreview } from './campaigns.schema.ts';
import { compileCampaign } from './compile-campaign.ts';
import { loadCampaign } from './letters.ts';
import { findRecipient } from './test-campaign.ts';

/** Who reads the preview of a campaign to nobody. */
const STRANGER = parseAddress('reader@example.com')!;

export async function previewCampaign(
  db: Db,
  caller: Asking,
  campaignId: string,
  wanted: Address | undefined,
  links: PublicLinks,
): Promise<CampaignPreview> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const campaign = (await loadCampaign(db, teamId, id))!;
  const compiled = await compileCampaign(campaign, campaign.sending, links);
  if (!compiled) throw badRequest('The content of this campaign cannot be rendered.');
  const address = wanted ?? (await findNewestContact(db, campaign)) ?? STRANGER;
  const recipient = await findRecipient(db, campaign, campaign.sending.name, address);
  // Nobody has this id: who tries the link in a preview unsubscribes nobody.
  return { to: address.email, ...compiled.show({ ...recipient, contactId: newUuid() }) };
}

async function findNewestContact(db: Db, { teamId, contactBookIds }: CampaignRow): Promise<Address | null> {
  const { rows } = await sql<{ email: string }>`
    select email from contacts where team_id = ${teamId} and contact_book_id = ${contactBookIds[0] ?? null}
    order by id desc limit 1
  `.execute(db);
  return rows[0] ? parseAddress(rows[0].email) : null;
}
