/** Tells whether a logo follows SVG Tiny Portable/Secure, the profile of BIMI (draft-svg-tiny-ps-abrotman). */
import { gunzipSync } from 'node:zlib';

/** BIMI asks for at most 32 kB. */
export const MAX_LOGO_BYTES = 32 * 1024;
const MAX_UNPACKED_BYTES = 512 * 1024;

const FORBIDDEN = [
  'script',
  'image',
  'foreignobject',
  'animate',
  'animatetransform',
  'animatemotion',
  'animatecolor',
  'set',
  'video',
  'audio',
  'a',
  'switch',
  'iframe',
  'style',
];

/** Returns what is wrong as the end of a sentence; null if the logo can be used. */
export function findLogoFault(content: Buffer): string | null {
  const text = readText(content);
  if (text === null) return 'it is not an SVG image';
  if (/<!ENTITY/i.test(text)) return 'it declares entities';
  const plain = withoutComments(text);
  const root = /<svg\b([^>]*)>/.exec(plain)?.[1];
  if (root === undefined) return 'it is not an SVG image';
  const attribute = (name: string) => attributesOf(root).get(name);
  if (attribute('baseProfile') !== 'tiny-ps') return 'its <svg> element must have baseProfile="tiny-ps"';
  if (attribute('version') !== '1.2') return 'its <svg> element must have version="1.2"';
  if (attribute('x') !== undefined || attribute('y') !== undefined)
    return 'its <svg> element must not have x or y';
  if (!/<title\b[^>]*>\s*[^<\s]/.test(plain)) return 'it has no <title>';
  const element = FORBIDDEN.find((name) => hasElement(plain, name));
  if (element) return `it must not contain <${element}>`;
  if (/\son[a-z]+\s*=/i.test(plain)) return 'it must not contain scripts';
  if (/\b(?:xlink:)?href\s*=\s*["'](?!#)/i.test(plain)) return 'it must not refer to other files';
  return null;
}

/** The image may be compressed. */
function readText(content: Buffer): string | null {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content.toString('utf8');
  try {
    return gunzipSync(content, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
  } catch {
    return null;
  }
}

function withoutComments(text: string): string {
  let plain = '';
  let from = 0;
  for (let at = text.indexOf('<!--'); at !== -1; at = text.indexOf('<!--', from)) {
    plain += text.slice(from, at);
    const end = text.indexOf('-->', at);
    if (end === -1) return plain;
    from = end + 3;
  }
  return plain + text.slice(from);
}

function hasElement(text: string, name: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(`<${name}`); at !== -1; at = lower.indexOf(`<${name}`, at + 1))
    if (/[\s/>]/.test(lower[at + name.length + 1] ?? '')) return true;
  return false;
}

function attributesOf(text: string): Map<string, string> {
  const found = [...text.matchAll(/([A-Za-z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return new Map(found.map(([, name, double, single]) => [name!, double ?? single ?? '']));
}
