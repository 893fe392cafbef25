import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from './platform/package-folder.ts';

export function posthornVersion(): string {
  const manifest = readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
