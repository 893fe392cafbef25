/** The sender of a message: the address, the signature, and whether the reply goes to someone else than who wrote. */
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert, X } from 'lucide-react';
import type { Signature } from '../../../../src/features/mailboxes/signatures/signatures.schema.ts';
import type { ThreadWithMessages } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { queryClient } from '../../../api/query-client.ts';
import { actionTexts as t } from '../../../texts/en/mail-actions.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Select } from '../../../ui/select.tsx';
import { useSession } from '../../people/session.ts';
import { addressesQuery, signaturesQuery } from '../arrival/arrival-api.ts';
import { savedRepliesQuery, threadQuery } from '../live/mail-api.ts';
import { domainOf, keyOf } from '../parts/people.ts';
import type { Composition } from './compositions.ts';
import type { Composer } from './use-composer.ts';

interface PartProps {
  mailboxId: string;
  composer: Composer;
}

/** Only for mailboxes with several addresses. */
export function SenderField({ mailboxId, own, composer }: PartProps & { own: string }) {
  const { data: more = [] } = useQuery(addressesQuery(mailboxId));
  if (more.length === 0) return null;
  const options = [
    ['', t.fromDefault] as const,
    ...[own, ...more.map(({ address }) => address)].map((address) => [address, address] as const),
  ];
  return (
    <div className="flex items-center gap-2 border-b border-line px-4 py-1">
      <span aria-hidden className="shrink-0 text-soft">
        {t.from}
      </span>
      <Select
        label={t.from}
        aria-label={t.from}
        className="min-w-0 flex-1"
        options={options}
        value={composer.options.from ?? ''}
        onChange={({ target }) => composer.setOptions({ from: target.value || null })}
      />
    </div>
  );
}

/** The signature that the server puts below the text. */
export function SignatureNote({ mailboxId, composer }: PartProps) {
  const { user } = useSession();
  const { data: signatures = [] } = useQuery(signaturesQuery(mailboxId));
  const { data: addresses = [] } = useQuery(addressesQuery(mailboxId));
  const { from, signature: isShown } = composer.options;
  const addressId = addresses.find(({ address }) => address === from)?.id ?? null;
  const chosen = chooseSignature(signatures, user.id, addressId);
  if (!chosen || !isShown) return null;
  return (
    <section aria-label={t.signature} className="mt-3 flex items-start gap-2 text-soft">
      <p className="min-w-0 flex-1 break-words whitespace-pre-wrap">{`-- \n${plainOf(chosen.html)}`}</p>
      <IconButton icon={X} label={t.noSignature} onClick={() => composer.setOptions({ signature: false })} />
    </section>
  );
}

/** The files and actions of the saved reply that was inserted, which come with the message. */
export function SavedReplyNote({ mailboxId, composer }: PartProps) {
  const { savedReplyId } = composer.options;
  const { data: replies = [] } = useQuery({
    ...savedRepliesQuery(mailboxId),
    enabled: savedReplyId !== null,
  });
  const reply = replies.find(({ id }) => id === savedReplyId);
  if (!reply || reply.attachments.length + reply.actions.length === 0) return null;
  const files = reply.attachments.map(({ filename, n }) => filename ?? `${n + 1}`);
  const actions = new Set(reply.actions.map(({ type }) => t.replyActions[type]));
  return (
    <section
      aria-label={t.replyParts(reply.name)}
      className="mt-3 flex items-start gap-2 text-note text-soft"
    >
      <p className="min-w-0 flex-1 break-words">
        {t.replyParts(reply.name)} {[...files, ...actions].join(', ')}
      </p>
      <IconButton
        icon={X}
        label={t.withoutParts}
        onClick={() => composer.setOptions({ savedReplyId: null })}
      />
    </section>
  );
}

/** As the server chooses: that of the person before that of everyone, and that of the address before that of all. */
function chooseSignature(all: readonly Signature[], userId: string, addressId: string | null) {
  const fitting = all.filter(
    ({ is_default: isDefault, user_id, address_id }) =>
      isDefault &&
      (user_id === null || user_id === userId) &&
      (address_id === null || address_id === addressId),
  );
  return fitting.toSorted((a, b) => rank(a) - rank(b))[0];
}

function rank({ user_id: userId, address_id: addressId }: Signature): number {
  return (userId === null ? 2 : 0) + (addressId === null ? 1 : 0);
}

function plainOf(html: string): string {
  const parsed = new DOMParser().parseFromString(html.replaceAll(/<br\s?\/?>|<\/p>/g, '\n'), 'text/html');
  return parsed.body.textContent.trim();
}

/** Reply-To may name a stranger. Shown while the message goes there. */
export function ReplyElsewhere({ composition, to }: { composition: Composition; to: readonly string[] }) {
  const found = findElsewhere(composition, to);
  if (!found) return null;
  return (
    <p role="status" className="flex items-start gap-2 bg-warn-tint px-4 py-2 text-note text-warn">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {t.replyElsewhere(keyOf(found.to), keyOf(found.from))}
    </p>
  );
}

function findElsewhere({ mailboxId, threadId }: Composition, to: readonly string[]) {
  if (threadId === null) return null;
  const { queryKey } = threadQuery(mailboxId, threadId);
  const thread = queryClient.getQueryData<ThreadWithMessages>(queryKey);
  for (const { from, reply_to: replyTo, warnings } of thread?.messages ?? []) {
    // The server warns where the author is a stranger, so that the Reply-To of a newsletter one knows is no news.
    if (!warnings.some(({ kind }) => kind === 'reply_to')) continue;
    const elsewhere = replyTo.find((person) => domainOf(person) !== domainOf(from));
    const goesThere = elsewhere && to.find((person) => keyOf(person) === keyOf(elsewhere));
    if (goesThere) return { to: goesThere, from };
  }
  return null;
}
