/** The pages at /docs, which the build renders from the markdown files in docs/ (scripts/build-docs.ts). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFolder, type WebFile } from './web-files.ts';

/** Next to the built server. It does not exist when the server runs from its sources. */
const BUILT = fileURLToPath(new URL('../docs/', import.meta.url));

/** Returns the pages by path. Empty if they are not built. */
export function loadGuides(folder: string = BUILT): Map<string, WebFile> {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  return new Map(
    [...readFolder(folder)].map(([path, file]) => [
      path === '/index.html' ? '/docs' : `/docs${path.replace(/\.html$/, '')}`,
      file,
    ]),
  );
}
