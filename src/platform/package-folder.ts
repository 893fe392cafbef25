import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. It is at different distances above the sources and above their bundle. */
export const PACKAGE_FOLDER = findPackageFolder(dirname(fileURLToPath(import.meta.url)));

function findPackageFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : findPackageFolder(above);
}
