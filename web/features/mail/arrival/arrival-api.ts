/** The queries of what a mailbox does with mail that arrives. */
import { queryOptions } from '@tanstack/react-query';
import type { MailboxAddress } from '../../../../src/features/mailboxes/addresses/addresses.schema.ts';
import type { BlockedSender } from '../../../../src/features/mailboxes/blocks/blocks.schema.ts';
import type { PersonProfile } from '../../../../src/features/mailboxes/people/people.schema.ts';
import type { Rule } from '../../../../src/features/mailboxes/rules/rules.schema.ts';
import type { Signature } from '../../../../src/features/mailboxes/signatures/signatures.schema.ts';
import { getJson } from '../../../api/client.ts';

function listQuery<Item>(mailboxId: string, name: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, name],
    queryFn: async () => (await getJson<{ items: Item[] }>(`/mailboxes/${mailboxId}/${name}`)).items,
    staleTime: 30_000,
  });
}

export const rulesQuery = (mailboxId: string) => listQuery<Rule>(mailboxId, 'rules');
export const addressesQuery = (mailboxId: string) => listQuery<MailboxAddress>(mailboxId, 'addresses');
export const signaturesQuery = (mailboxId: string) => listQuery<Signature>(mailboxId, 'signatures');
export const blocksQuery = (mailboxId: string) => listQuery<BlockedSender>(mailboxId, 'blocks');

export function personQuery(email: string) {
  return queryOptions({
    queryKey: ['mail-person', email],
    queryFn: () => getJson<PersonProfile>(`/people/${encodeURIComponent(email)}`),
    staleTime: 30_000,
  });
}
