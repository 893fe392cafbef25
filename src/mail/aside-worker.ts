/** The other thread of aside.ts: a greeting, then jobs in, results out. Contents are handed over, not copied. */
import { parentPort } from 'node:worker_threads';
import type { Job } from './aside.ts';
import { cleanHtml } from './clean-html.ts';
import { htmlToPlainText } from './html-text.ts';
import { inlineStyles } from './inline-styles.ts';
import { parseNow } from './parse-message.ts';

parentPort!.on('message', (job: Job) => {
  if ('clean' in job) parentPort!.postMessage(cleanHtml(job.clean));
  else if ('text' in job) parentPort!.postMessage(htmlToPlainText(job.text));
  else if ('inline' in job) parentPort!.postMessage(inlineStyles(job.inline));
  else parse(job.parse);
});
parentPort!.postMessage('ready');

function parse(raw: Uint8Array): void {
  const parsed = parseNow(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  const contents = parsed.attachments.map(({ content }) => content.buffer as ArrayBuffer);
  parentPort!.postMessage(parsed, isOwned(contents) ? contents : []);
}

/** Small contents may share one block with others, and a block can be handed over once. */
function isOwned(blocks: ArrayBuffer[]): boolean {
  return (
    new Set(blocks).size === blocks.length && blocks.every((block) => block.byteLength > Buffer.poolSize)
  );
}
