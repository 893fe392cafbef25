/** The queries and changes of shared work in webmail. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { MailboxAccess } from '../../../../src/features/mailboxes/access/access.schema.ts';
import type { MailboxLabel } from '../../../../src/features/mailboxes/labels/labels.schema.ts';
import type { ThreadNote } from '../../../../src/features/mailboxes/teamwork/notes.schema.ts';
import { getJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { membersQuery } from '../../../api/members.ts';
import { queryClient, refresh } from '../../../api/query-client.ts';
import { showToast } from '../../../ui/toasts.ts';

export interface Colleague {
  user_id: string;
  name: string;
}

function peopleQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'colleagues'],
    async queryFn(): Promise<Colleague[]> {
      const { mode, people } = await getJson<MailboxAccess>(`/mailboxes/${mailboxId}/access`);
      if (mode === 'listed')
        return people.map(({ user_id, name, email }) => ({ user_id, name: name ?? email }));
      const members = await queryClient.fetchQuery(membersQuery);
      return members.map(({ id, name, email }) => ({ user_id: id, name: name ?? email }));
    },
    staleTime: 60_000,
  });
}

/** The people who may read the mailbox. */
export function useColleagues(mailboxId: string): readonly Colleague[] {
  return useQuery(peopleQuery(mailboxId)).data ?? [];
}

export function labelsQuery(mailboxId: string) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'labels'],
    queryFn: async () => (await getJson<{ items: MailboxLabel[] }>(`/mailboxes/${mailboxId}/labels`)).items,
    staleTime: 60_000,
  });
}

export function notesQuery(mailboxId: string, threadId: string, count: number) {
  return queryOptions({
    queryKey: ['mail', mailboxId, 'notes', threadId, count],
    queryFn: async () =>
      (await getJson<{ items: ThreadNote[] }>(`/threads/${threadId}/notes`, { limit: 100 })).items,
    enabled: count > 0,
  });
}

/** Runs a change, shows why it failed, and reads the mailbox again. */
export async function act(mailboxId: string, change: () => Promise<unknown>): Promise<boolean> {
  let isDone = true;
  try {
    await change();
  } catch (error) {
    isDone = false;
    showToast(describeError(error), { tone: 'bad' });
  }
  await refresh('mail', mailboxId);
  return isDone;
}
