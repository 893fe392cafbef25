/** Tells whether a logo follows SVG Tiny Portable/Secure, the profile of BIMI (draft-svg-tiny-ps-abrotman). */
import { gunzipSync } from 'node:zlib';
import { SaxesParser } from 'saxes';

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
  const image = text === null ? null : readImage(text);
  if (image?.declaresEntities) return 'it declares entities';
  if (!image || image.isBroken || image.root?.name !== 'svg') return 'it is not an SVG image';
  const { attributes } = image.root;
  if (attributes.baseProfile !== 'tiny-ps') return 'its <svg> element must have baseProfile="tiny-ps"';
  if (attributes.version !== '1.2') return 'its <svg> element must have version="1.2"';
  if (attributes.x !== undefined || attributes.y !== undefined)
    return 'its <svg> element must not have x or y';
  if (image.title.trim() === '') return 'it has no <title>';
  const element = FORBIDDEN.find((name) => image.elements.has(name));
  if (element) return `it must not contain <${element}>`;
  if (image.hasHandlers) return 'it must not contain scripts';
  if (image.refersElsewhere) return 'it must not refer to other files';
  return null;
}

interface Image {
  root: { name: string; attributes: Record<string, string> } | null;
  /** The names of all elements, in lower case. */
  elements: Set<string>;
  title: string;
  hasHandlers: boolean;
  refersElsewhere: boolean;
  declaresEntities: boolean;
  isBroken: boolean;
}

function readImage(text: string): Image {
  const image: Image = {
    root: null,
    elements: new Set(),
    title: '',
    hasHandlers: false,
    refersElsewhere: false,
    declaresEntities: false,
    isBroken: false,
  };
  let open = '';
  const parser = new SaxesParser();
  parser.on('error', () => (image.isBroken = true));
  parser.on('doctype', (type) => (image.declaresEntities ||= type.includes('<!ENTITY')));
  parser.on('opentag', ({ name, attributes }) => {
    open = name;
    image.root ??= { name, attributes };
    image.elements.add(name.toLowerCase());
    for (const [attribute, value] of Object.entries(attributes)) {
      if (/^on/i.test(attribute)) image.hasHandlers = true;
      if (/(?:^|:)href$/i.test(attribute) && !value.startsWith('#')) image.refersElsewhere = true;
    }
  });
  parser.on('closetag', () => (open = ''));
  parser.on('text', (part) => {
    if (open === 'title') image.title += part;
  });
  parser.write(text).close();
  return image;
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
