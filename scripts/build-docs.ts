/** Writes the pages at /docs into the folder that the command names, with compressed copies. bin/build.js runs it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { renderDocsPages } from './guides/render-pages.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder.');
for (const [path, html] of renderDocsPages()) {
  const file = join(folder, `${path === '/docs' ? 'index' : path.slice('/docs/'.length)}.html`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, html);
  writeFileSync(`${file}.gz`, gzipSync(html, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(html));
}
