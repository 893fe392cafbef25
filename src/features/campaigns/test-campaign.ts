/** A look at a campaign before it goes: the same letter, to a few addresses, outside of its ledger and its counts. */
import { sql } from 'kysely';
import type { Address } from '../../mail/address.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { badRequest } from '../../platform/errors.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { submit } from '../emails/submit.ts';
import type { PublicLinks } from '../tracking/links.ts';
import { findCampaign, type Asking, type CampaignRow } from './campaign-row.ts';
import { compileCampaign, type LetterRecipient } from './compile-campaign.ts';
import { loadCampaign } from './letters.ts';

export async function testCampaign(
  db: Db,
  caller: Asking,
  campaignId: string,
  addresses: Address[],
  links: PublicLinks,
): Promise<string[]> {
  const { teamId, id } = await findCampaign(db, caller, campaignId);
  const campaign = (await loadCampaign(db, teamId, id))!;
  const untracked = {
    ...campaign,
    subject: `[Test] ${campaign.subject}`,
    trackOpens: false,
    trackClicks: false,
  };
  const compiled = await compileCampaign(untracked, campaign.sending, links);
  if (!compiled) throw badRequest('The content of this campaign cannot be rendered.');
  return inTransaction(db, async (trx) => {
    const emailIds: string[] = [];
    for (const address of addresses) {
      const recipient = await findRecipient(trx, campaign, campaign.sending.name, address);
      const content = { kind: 'raw' as const, raw: compiled.render(recipient), recipients: [address] };
      emailIds.push(await submit(trx, { source: 'api', caller, content }));
    }
    return emailIds;
  });
}

/** As the contact of this address would get it; a stranger gets what a contact without any fields does. */
export async function findRecipient(
  db: Db,
  { teamId, contactBookIds }: CampaignRow,
  domain: string,
  address: Address,
): Promise<LetterRecipient> {
  const { rows } = await sql<
    Pick<LetterRecipient, 'contactBookId' | 'contactId' | 'firstName' | 'lastName' | 'properties'>
  >`
    select contact_book_id as "contactBookId", id as "contactId", first_name as "firstName", last_name as "lastName",
      properties
    from contacts
    where team_id = ${teamId} and contact_book_id = any(${contactBookIds}::uuid[]) and email_key = ${address.key}
    order by array_position(${contactBookIds}::uuid[], contact_book_id) limit 1
  `.execute(db);
  const emailId = newUuid();
  return {
    teamId,
    emailId,
    messageId: `<${encodeId('eml', emailId)}@${domain}>`,
    date: new Date(),
    address,
    // Nobody has this id: the link works, and unsubscribes nobody.
    ...(rows[0] ?? {
      contactBookId: contactBookIds[0] ?? newUuid(),
      contactId: newUuid(),
      firstName: null,
      lastName: null,
      properties: {},
    }),
  };
}
