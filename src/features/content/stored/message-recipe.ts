/**
 * An email that is stored as what it is made from, and composed again whenever it is read (decision 40). One request
 * can have a newsletter for 1,000 recipients, and one template can make any number of emails. The texts and files that
 * they share are stored once, as blobs, and each email has only its own fields and values.
 *
 * A recipe must give the same bytes each time, so the date and the boundary are part of it. A field that is added to it
 * must have a default, because old recipes do not have it.
 */
import type { Attachment } from '../../../mail/mime/compose/part.ts';
import type { MessageContent } from '../../../mail/mime/compose/compose.ts';
import { composeOffLoop } from '../../../mail/offload/compose-message.ts';
import { trackHtml } from '../../../mail/html/track-html.ts';
import { compress } from '../../../platform/compress.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import type { EmailRef, PublicLinks } from '../links/links.ts';
import { contentHash } from './content-hash.ts';
import { renderSource, type ContentSource, type ContentValues } from './content-source.ts';
import type { MessageForm, StoredPart } from './stored-message.ts';

/** The fields of a message that are not texts or files. */
type MessageFields = Omit<MessageContent, 'html' | 'text' | 'textFrom' | 'attachments'>;

export interface Ingredients {
  source: ContentSource;
  values: ContentValues;
  attachments: Attachment[];
  fields: MessageFields & { boundary: string };
  tracking: {
    opens: boolean;
    clicks: boolean;
    /** The host of the tracking links. Null or missing means that of BASE_URL. */
    linkHost?: string | null;
  };
}

/** As stored in JSON. The numbers of the parts are in PARTS. */
interface Recipe extends Pick<Ingredients, 'values' | 'tracking'> {
  syntax: ContentSource['syntax'];
  fields: Omit<Ingredients['fields'], 'date'> & { date: string };
}

const PARTS = { html: 0, text: 1, files: 2 } as const;

/** Composes the message, with its links and values. `email` identifies it in tracking links. */
export async function composeIngredients(
  { source, values, attachments, fields, tracking }: Ingredients,
  links: PublicLinks | null,
  email: EmailRef,
): Promise<Buffer> {
  const rendered = await renderSource(source, { values, recipient: fields.to[0] ?? null });
  // An empty text counts as missing, as in templates.
  const html = rendered.html || null;
  const tracked = html && links ? await track(html, tracking, links, email) : html;
  return composeOffLoop({
    ...fields,
    html: tracked,
    textFrom: html,
    text: rendered.text || null,
    attachments,
  });
}

async function track(
  html: string,
  { opens, clicks, linkHost = null }: Ingredients['tracking'],
  links: PublicLinks,
  email: EmailRef,
): Promise<string> {
  if (!opens && !clicks) return html;
  const { click, open } = links.under(linkHost);
  return runYielding(html.length, () =>
    trackHtml(html, {
      click: clicks ? (url) => click(email, url) : null,
      pixel: opens ? open(email) : null,
    }),
  );
}

/** `fullSize` is the size of the composed message. */
export async function toRecipe(
  { source, values, attachments, fields, tracking }: Ingredients,
  fullSize: number,
): Promise<MessageForm> {
  const recipe: Recipe = {
    syntax: source.syntax,
    values,
    tracking,
    fields: { ...fields, date: fields.date.toISOString() },
  };
  const contents = await contentsOf(source);
  const files = attachments.length === 0 ? null : await packOnce(attachments);
  const parts: StoredPart[] = [];
  for (const [name, content] of Object.entries({ ...contents, files }))
    if (content) parts.push({ at: PARTS[name as keyof typeof PARTS], ...content });
  const own = await compress(Buffer.from(JSON.stringify(recipe)));
  return { ...own, fullSize, parts, isRecipe: true };
}

export function readRecipe(json: Buffer, parts: { at: number; content: Buffer }[]): Ingredients {
  const { syntax, values, tracking, fields } = JSON.parse(json.toString()) as Recipe;
  const find = (name: keyof typeof PARTS) => parts.find(({ at }) => at === PARTS[name])?.content;
  const files = find('files');
  return {
    source: { syntax, html: find('html')?.toString() ?? null, text: find('text')?.toString() ?? null },
    values,
    tracking,
    fields: { ...fields, date: new Date(fields.date) },
    attachments: files ? unpackFiles(files) : [],
  };
}

type Hashed = Omit<StoredPart, 'at'>;
type Contents = Record<'html' | 'text', Hashed | null>;

/** The bytes of a source and of files that many emails share are made and hashed once. */
const contentsOfSources = new WeakMap<ContentSource, Promise<Contents>>();
const packed = new WeakMap<Attachment[], Promise<Hashed>>();

function contentsOf(source: ContentSource): Promise<Contents> {
  let contents = contentsOfSources.get(source);
  if (!contents) contentsOfSources.set(source, (contents = makeContents(source)));
  return contents;
}

async function makeContents({ html, text }: ContentSource): Promise<Contents> {
  return {
    html: html ? await hash(Buffer.from(html)) : null,
    text: text ? await hash(Buffer.from(text)) : null,
  };
}

function packOnce(attachments: Attachment[]): Promise<Hashed> {
  let files = packed.get(attachments);
  if (!files) packed.set(attachments, (files = hash(packFiles(attachments))));
  return files;
}

async function hash(content: Buffer): Promise<Hashed> {
  return { content, hash: await runYielding(content.length, () => contentHash(content)) };
}

/** The length of the list, the list with the names and sizes of the files in JSON, and the bytes of the files. */
function packFiles(attachments: Attachment[]): Buffer {
  const list = Buffer.from(
    JSON.stringify(attachments.map(({ content, ...file }) => ({ ...file, size: content.length }))),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(list.length);
  return Buffer.concat([length, list, ...attachments.map(({ content }) => content)]);
}

function unpackFiles(files: Buffer): Attachment[] {
  let from = 4 + files.readUInt32BE();
  const list = JSON.parse(files.toString('utf8', 4, from)) as (Omit<Attachment, 'content'> & {
    size: number;
  })[];
  return list.map(({ size, ...file }) => {
    const content = files.subarray(from, from + size);
    from += size;
    return { ...file, content };
  });
}
