/** The words of a message that the filter of a team learns, as hashes. */
import { hash } from 'node:crypto';
import { htmlToPlainText } from '../../../mail/html/text.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { deriveKey } from '../../../platform/crypto.ts';
import { wordsOf } from '../storage/search-words.ts';

const MAX_CHARACTERS = 20_000;
const MAX_SUBJECT = 500;
const MAX_WORDS = 250;
const MAX_LINKS = 20;
const MIN_LENGTH = 3;
const MAX_LENGTH = 24;
const HASH_BYTES = 6;
/** Most words come again and again. */
const MAX_KNOWN = 20_000;
const ASCII_ONLY = /^[\0-\x7f]*$/;

export interface MessageWords {
  /** The address of the sender. Null without one. */
  sender: number | null;
  words: number[];
}

/** Hashes of 48 bits are safe integers, and collide in practice never among the words of a team. */
export type HashWords = (teamId: number, parsed: ParsedMessage) => MessageWords;

export function createWordHasher(secret: Buffer): HashWords {
  const key = keyOf(secret);
  const known = new Map<string, number>();
  return (teamId, parsed) => {
    const toHash = (word: string) => {
      const text = `${teamId}\n${word}`;
      let number = known.get(text);
      if (number !== undefined) return number;
      if (known.size >= MAX_KNOWN) known.clear();
      number = hashText(key, text);
      known.set(text, number);
      return number;
    };
    const words = [...new Set(listWords(parsed).map(toHash))];
    return { sender: parsed.from ? toHash(wordOfSender(parsed.from.address)) : null, words };
  };
}

/** The hash under which the mail of a sender is counted. */
export function hashSender(secret: Buffer, teamId: number, address: string): number {
  return hashText(keyOf(secret), `${teamId}\n${wordOfSender(address)}`);
}

function keyOf(secret: Buffer): string {
  return deriveKey(secret, 'words of messages').toString('hex');
}

function hashText(key: string, text: string): number {
  return Buffer.from(hash('sha256', `${key}\n${text}`, 'binary'), 'latin1').readUIntBE(0, HASH_BYTES);
}

function wordOfSender(address: string): string {
  return `from ${address.toLowerCase()}`;
}

function listWords(
  parsed: Pick<ParsedMessage, 'subject' | 'text' | 'html' | 'from' | 'attachments'>,
): string[] {
  const body = parsed.text ?? (parsed.html ? htmlToPlainText(parsed.html, MAX_CHARACTERS) : '');
  const text = body.slice(0, MAX_CHARACTERS);
  const domain = parsed.from?.address.split('@').at(-1)?.toLowerCase();
  const files = parsed.attachments.flatMap(
    ({ filename }) => /\.([a-z0-9]{1,8})$/i.exec(filename ?? '')?.[1] ?? [],
  );
  return [
    ...(domain ? [`at ${domain}`] : []),
    ...new Set(files.slice(0, MAX_LINKS).map((extension) => `file ${extension.toLowerCase()}`)),
    ...linksOf(`${text} ${(parsed.html ?? '').slice(0, MAX_CHARACTERS)}`),
    ...wordsOf(parsed.subject.slice(0, MAX_SUBJECT))
      .filter(isTelling)
      .map((word) => `subject ${word}`),
    ...wordsOf(text).filter(isTelling),
  ].slice(0, MAX_WORDS);
}

/** Short words are in every message, except in scripts in which a character is a word. */
function isTelling(word: string): boolean {
  return word.length <= MAX_LENGTH && (word.length >= MIN_LENGTH || !ASCII_ONLY.test(word));
}

function linksOf(text: string): string[] {
  const hosts = new Set<string>();
  for (let at = text.indexOf('://'); at !== -1 && hosts.size < MAX_LINKS; at = text.indexOf('://', at + 3)) {
    const host = /^[a-z0-9.-]{3,253}/i.exec(text.slice(at + 3, at + 260))?.[0];
    if (host) hosts.add(`link ${host.toLowerCase()}`);
  }
  return [...hosts];
}
