/**
 * Reads the keywords and the folder that a client gives to a message, as a whole or as a patch (RFC 8620 section 5.3).
 */
import {
  FLAG_OF_KEYWORD,
  isKeyword,
  keywordsOf,
  MAX_KEYWORDS,
  normalizeKeyword,
  toKeyword,
  toLabel,
} from '../../mail/jmap/keywords.ts';
import type { JmapEmailRow } from '../../features/mailboxes/jmap/email-rows.ts';
import type { FlagSet } from '../../features/mailboxes/storage/change-flags.ts';
import { unescapePointer } from '../../mail/jmap/result-references.ts';
import { resolveId } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';

/** Reads a set: an object whose values are all true. */
function readSet(property: string, value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidProperties([property], `${property} must be an object.`);
  const entries = Object.entries(value);
  if (!entries.every(([, isIn]) => isIn === true))
    throw invalidProperties([property], 'All values must be true.');
  return entries.map(([name]) => name);
}

export function readKeywords(value: unknown): string[] {
  return checkKeywords(value === undefined ? [] : readSet('keywords', value));
}

function checkKeywords(keywords: string[]): string[] {
  if (!keywords.every(isKeyword)) throw invalidProperties(['keywords'], 'A keyword has invalid characters.');
  const unique = [...new Set(keywords.map(normalizeKeyword))];
  if (unique.length > MAX_KEYWORDS)
    throw new ObjectError('tooManyKeywords', `A message can have at most ${MAX_KEYWORDS} keywords.`);
  return unique;
}

function isFlag(keyword: string): boolean {
  return Object.hasOwn(FLAG_OF_KEYWORD, keyword);
}

/** Returns the flags and labels of these keywords. Labels that the message already has keep their spelling. */
export function toFlagSet(keywords: readonly string[], labels: readonly string[] = []): Required<FlagSet> {
  return {
    flags: keywords.filter(isFlag).map((keyword) => FLAG_OF_KEYWORD[keyword]!),
    labels: keywords
      .filter((keyword) => !isFlag(keyword))
      .map((keyword) => labels.find((label) => toKeyword(label) === keyword) ?? toLabel(keyword)),
  };
}

/** Returns the only folder of a message. */
export function readFolder(context: MethodContext, value: unknown): string {
  return onlyFolder(readSet('mailboxIds', value).map((id) => resolveId(context, id)));
}

function onlyFolder(folders: string[]): string {
  const [folder, ...others] = new Set(folders);
  if (folder === undefined) throw invalidProperties(['mailboxIds'], 'A message must be in a mailbox.');
  if (others.length > 0)
    throw new ObjectError('tooManyMailboxes', 'A message is in exactly one mailbox (maxMailboxesPerEmail).');
  return folder;
}

export interface EmailChange {
  /** Null if the message stays in its folder. */
  folder: string | null;
  /** The keywords to add and to remove; null if they do not change. */
  keywords: { add: Required<FlagSet>; remove: Required<FlagSet> } | null;
}

export function readEmailPatch(context: MethodContext, row: JmapEmailRow, patch: Arguments): EmailChange {
  const folders = new Set([row.folder]);
  const before = new Set(Object.keys(keywordsOf(row)));
  const after = new Set(before);
  const wrong: string[] = [];
  for (const [path, value] of Object.entries(patch)) {
    const [property = '', name, ...rest] = path.split('/').map(unescapePointer);
    const isItem = name !== undefined && name !== '' && rest.length === 0;
    if (property === 'mailboxIds' && name === undefined)
      replace(
        folders,
        readSet(property, value).map((id) => resolveId(context, id)),
      );
    else if (property === 'mailboxIds' && isItem) change(folders, resolveId(context, name), value, path);
    else if (property === 'keywords' && name === undefined) replace(after, readKeywords(value));
    else if (property === 'keywords' && isItem) change(after, checkKeywords([name])[0]!, value, path);
    else wrong.push(path);
  }
  if (wrong.length > 0)
    throw invalidProperties(wrong.slice(0, 20), 'Only mailboxIds and keywords can be changed.');
  checkKeywords([...after]);
  const folder = onlyFolder([...folders]);
  const added = [...after].filter((keyword) => !before.has(keyword));
  const removed = [...before].filter((keyword) => !after.has(keyword));
  return {
    folder: folder === row.folder ? null : folder,
    keywords:
      added.length + removed.length === 0
        ? null
        : { add: toFlagSet(added, row.labels), remove: toFlagSet(removed, row.labels) },
  };
}

function replace(set: Set<string>, values: string[]): void {
  set.clear();
  for (const value of values) set.add(value);
}

function change(set: Set<string>, name: string, value: unknown, path: string): void {
  if (value === true) set.add(name);
  else if (value === null || value === false) set.delete(name);
  else throw new ObjectError('invalidPatch', `The value of ${path.slice(0, 100)} must be true or null.`);
}
