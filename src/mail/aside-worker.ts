/** The other thread of aside.ts: a greeting, then jobs in, results out. Contents are handed over, not copied. */
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { toBuffer, type Job } from './aside.ts';
import { cleanHtml } from './clean-html.ts';
import { composeMessage, type OutgoingMessage } from './compose.ts';
import { htmlToPlainText } from './html-text.ts';
import { inlineStyles } from './inline-styles.ts';
import { parseNow } from './parse-message.ts';

// On Linux this is the priority of the thread alone: where the processors are busy, requests are answered first.
const LOWER_PRIORITY = 5;
if (process.platform === 'linux') setPriority(LOWER_PRIORITY);

parentPort!.on('message', (job: Job) => {
  if ('clean' in job) parentPort!.postMessage(cleanHtml(job.clean));
  else if ('compose' in job) compose(job.compose);
  else if ('toText' in job) parentPort!.postMessage(htmlToPlainText(job.toText));
  else if ('inline' in job) parentPort!.postMessage(inlineStyles(job.inline));
  else parse(job.parse);
});
parentPort!.postMessage('ready');

function parse(raw: Uint8Array): void {
  const parsed = parseNow(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const contents = parsed.attachments.map(({ content }) => content.buffer as ArrayBuffer);
  parentPort!.postMessage(parsed, isOwned(contents) ? contents : []);
}

/** It is large: its bytes have a block of their own. */
function compose(message: OutgoingMessage): void {
  const attachments = message.attachments.map((file) => ({ ...file, content: toBuffer(file.content) }));
  const raw = composeMessage({ ...message, attachments });
  const block = raw.buffer as ArrayBuffer;
  parentPort!.postMessage(raw, isOwned([block]) ? [block] : []);
}

/** Small contents may share one block with others, and a block can be handed over once. */
function isOwned(blocks: ArrayBuffer[]): boolean {
  return (
    new Set(blocks).size === blocks.length && blocks.every((block) => block.byteLength > Buffer.poolSize)
  );
}
