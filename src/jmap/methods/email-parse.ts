/** Email/parse and /copy (RFC 8621 sections 4.9 and 4.7). */
import { z } from 'zod';
import { htmlToPlainText } from '../../mail/html/text.ts';
import { readBody, readBodyValue, type Body } from '../../mail/jmap/body-parts.ts';
import { readHeader } from '../../mail/jmap/header-forms.ts';
import { runYielding } from '../../platform/concurrency/run-yielding.ts';
import { idList, readArguments, requireAccount, requireCount } from '../calls/arguments.ts';
import { findBlob } from '../calls/blobs.ts';
import { LIMITS } from '../calls/limits.ts';
import { MethodError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { newValuesBudget, presentBody, presentHeaders, spendOn, type ValuesBudget } from './email-objects.ts';
import { DEFAULT_PROPERTIES, readEmailProperties, type EmailProperties } from './email-properties.ts';
import { isMessage } from './email-set.ts';

const PREVIEW_LENGTH = 200;
/** Properties that only a stored message has. */
const STORED_ONLY = ['id', 'threadId', 'mailboxIds', 'keywords', 'receivedAt'];

const parseArguments = z.object({
  blobIds: idList,
  properties: z.array(z.string().max(300)).max(500).nullish(),
});

export async function parseEmails(context: MethodContext, args: Arguments): Promise<Arguments> {
  requireAccount(context, args);
  const { blobIds, properties = null } = readArguments(parseArguments, args);
  requireCount(blobIds.length, LIMITS.maxObjectsInGet);
  const byDefault = DEFAULT_PROPERTIES.filter(
    (name) => !STORED_ONLY.includes(name) && name !== 'blobId' && name !== 'size',
  );
  const wanted = readEmailProperties(properties, args, byDefault);
  const budget = newValuesBudget();
  const parsed: [string, unknown][] = [];
  const notParsable: string[] = [];
  const notFound: string[] = [];
  for (const blobId of new Set(blobIds)) {
    const found = await findBlob(context.tools.db, context.login, blobId);
    if (!found) notFound.push(blobId);
    else if (!isMessage(found.content)) notParsable.push(blobId);
    else {
      const { content } = found;
      parsed.push([
        blobId,
        await runYielding(content.length, () => presentParsed(content, blobId, wanted, budget)),
      ]);
    }
  }
  return {
    accountId: context.accountId,
    parsed: parsed.length > 0 ? Object.fromEntries(parsed) : null,
    notParsable: notParsable.length > 0 ? notParsable : null,
    notFound: notFound.length > 0 ? notFound : null,
  };
}

function presentParsed(
  content: Buffer,
  blobId: string,
  wanted: EmailProperties,
  budget: ValuesBudget,
): Record<string, unknown> {
  const body = readBody(content);
  const metadata: Record<string, () => unknown> = {
    ...Object.fromEntries(STORED_ONLY.map((name) => [name, () => null])),
    blobId: () => blobId,
    size: () => content.length,
    hasAttachment: () => body.attachments.some(({ disposition }) => disposition !== 'inline'),
    preview: () => previewOf(body),
  };
  const values = {
    ...presentHeaders(readHeader(content.subarray(0, body.root.mime.bodyStart)), wanted),
    ...presentBody(body, blobId, wanted, budget),
  };
  spendOn(budget, { ...values, bodyValues: null });
  return { ...Object.fromEntries([...wanted.metadata].map((name) => [name, metadata[name]!()])), ...values };
}

function previewOf({ raw, textBody }: Body): string {
  const first = textBody.find(({ type }) => type.startsWith('text/'));
  if (!first) return '';
  const { value } = readBodyValue(raw, first, 20_000);
  const text = first.type === 'text/html' ? htmlToPlainText(value) : value;
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, PREVIEW_LENGTH).toWellFormed();
}

/** A login has only one account, so there is no other account to copy from. */
export function copyObjects(context: MethodContext, args: Arguments): Arguments {
  requireAccount(context, args);
  const { fromAccountId } = readArguments(z.object({ fromAccountId: z.string() }), args);
  if (fromAccountId === context.accountId)
    throw new MethodError('invalidArguments', 'fromAccountId must be another account.');
  throw new MethodError('fromAccountNotFound', 'This account does not exist.');
}
