/**
 * The worker side of thread-pool.ts. It posts 'ready', then one result for each job. Contents are transferred,
 * not copied.
 */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { toBuffer, type Job } from './thread-pool.ts';
import { writeOrder } from '../imap/order-messages.ts';
import { cleanHtml } from '../html/clean-html.ts';
import { cleanMail } from '../html/display/display-html.ts';
import { composeMessage, type MessageContent } from '../mime/compose/compose.ts';
import { htmlToPlainText } from '../html/text.ts';
import { inlineStyles } from '../html/inline-styles.ts';
import { renderMjml } from '../html/render-mjml.ts';
import { parseNow } from '../mime/parse/parse-message.ts';
import type { HeaderSection } from '../mime/parse/raw-headers.ts';

// On Linux this sets the priority of the thread only, so requests are served first when the CPUs are busy.
const LOWER_PRIORITY = 5;
if (process.platform === 'linux') setPriority(LOWER_PRIORITY);

parentPort!.on('message', (job: Job) => {
  if ('clean' in job) parentPort!.postMessage(cleanHtml(job.clean));
  else if ('cleanMail' in job) parentPort!.postMessage(cleanMail(job.cleanMail));
  else if ('compose' in job) compose(job.compose);
  else if ('toText' in job) parentPort!.postMessage(htmlToPlainText(job.toText));
  else if ('inline' in job) parentPort!.postMessage(inlineStyles(job.inline));
  else if ('mjml' in job) parentPort!.postMessage(renderMjml(job.mjml, job.library));
  else if ('order' in job) parentPort!.postMessage(writeOrder(job.order));
  else parse(job.parse, job.section);
});
parentPort!.postMessage('ready');

function parse(raw: Uint8Array, section: HeaderSection | undefined): void {
  const parsed = parseNow(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), section);
  const contents = parsed.attachments.map(({ content }) => content.buffer as ArrayBuffer);
  parentPort!.postMessage(parsed, isOwned(contents) ? contents : []);
}

/** A large message has a block of its own, which can be transferred. */
function compose(message: MessageContent): void {
  const attachments = message.attachments.map((file) => ({ ...file, content: toBuffer(file.content) }));
  const raw = composeMessage({ ...message, attachments });
  const block = raw.buffer as ArrayBuffer;
  parentPort!.postMessage(raw, isOwned([block]) ? [block] : []);
}

/** Small contents may share a block, and a block can be transferred only once. */
function isOwned(blocks: ArrayBuffer[]): boolean {
  return (
    new Set(blocks).size === blocks.length && blocks.every((block) => block.byteLength > Buffer.poolSize)
  );
}
