/** Finds the report in a received message, whatever the type of its part is, and tells what kind it is. */
import { decodeTransfer } from '../mime/parse/decode.ts';
import { parseMimeTree, type MimePart } from '../mime/parse/mime-tree.ts';
import type { HeaderSection } from '../mime/parse/raw-headers.ts';
import { packingOf } from './unpack-report.ts';

const MAX_PARTS = 50;
const START_BYTES = 200;
const XML = /^\s*<(?:\?xml|(?:[\w.-]{1,40}:)?feedback[\s>])/;
const JSON_OBJECT = /^\s*\{\s*"/;

/** Returns the packed or plain report, or null if no part looks like one. */
export function findReport(raw: Buffer, section: HeaderSection): Buffer | null {
  const leaves: MimePart[] = [];
  collectLeaves(parseMimeTree(raw, section), leaves);
  let plain: Buffer | null = null;
  for (const { bodyStart, end, encoding } of leaves.slice(0, MAX_PARTS)) {
    const content = decodeTransfer(raw.subarray(bodyStart, end), encoding);
    if (packingOf(content)) return content;
    if (plain === null && kindOf(content)) plain = content;
  }
  return plain;
}

function collectLeaves(part: MimePart, leaves: MimePart[]): void {
  if (part.children.length === 0 && part.message === null) leaves.push(part);
  for (const child of part.children) collectLeaves(child, leaves);
  if (part.message) collectLeaves(part.message, leaves);
}

/** The kind of an unpacked report, by its first bytes. */
export function kindOf(start: Buffer): 'dmarc' | 'tls' | null {
  const text = start
    .subarray(0, START_BYTES)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  if (XML.test(text)) return 'dmarc';
  return JSON_OBJECT.test(text) ? 'tls' : null;
}
