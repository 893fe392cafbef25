/** What recipients may see of a message although `parseBody` does not show it. */
import { decodeHtml, decodeTransfer } from './decode.ts';
import { parseMimeTree, type MimePart } from './mime-tree.ts';
import { MAX_PARTS, MAX_SHOWN_BYTES, UNSHOWN_ALTERNATIVES } from './parse-body.ts';
import { valuesOf, type HeaderSection } from './raw-headers.ts';

export interface UnshownText {
  /** The versions for particular software. */
  texts: string[];
  /** The URLs that relative links of a part begin with. */
  bases: string[];
  /** Whether there is more than `parseBody` reads. */
  isCut: boolean;
}

export function readUnshownText(raw: Buffer, section: HeaderSection): UnshownText {
  const leaves = leavesOf(parseMimeTree(raw, section));
  const texts = leaves.filter(({ type }) => type === 'text');
  const bytes = texts.reduce((sum, { bodyStart, end }) => sum + end - bodyStart, 0);
  const unshown = texts.filter(({ type, subtype }) => UNSHOWN_ALTERNATIVES.has(`${type}/${subtype}`));
  return {
    texts: unshown.map(({ bodyStart, end, encoding, contentType }) => {
      const decoded = decodeTransfer(raw.subarray(bodyStart, end), encoding);
      return decodeHtml(decoded.subarray(0, MAX_SHOWN_BYTES), contentType.parameters.get('charset') ?? '');
    }),
    bases: leaves.flatMap((part) => [
      ...valuesOf(part, 'content-location'),
      ...valuesOf(part, 'content-base'),
    ]),
    isCut: leaves.length > MAX_PARTS || bytes > MAX_SHOWN_BYTES,
  };
}

function leavesOf(part: MimePart): MimePart[] {
  return part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);
}
