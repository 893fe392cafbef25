/**
 * migrations/checksums.json has the checksum of every migration that has landed. `npm run generate` adds new ones. A
 * changed or removed migration is a problem, because databases on which it ran would not get the change.
 */
import type { Migration } from '../../src/platform/database/migrations.ts';

export type Checksums = Record<string, string>;

const NEVER_EDITED = `Databases on which it ran do not get the change, so put it back and write a new migration. (Only while it is on no other branch: delete its line from migrations/checksums.json and run npm run generate.)`;

export function findEdited(landed: Checksums, migrations: Migration[]): string[] {
  const present = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return Object.entries(landed)
    .filter(([name, checksum]) => present.get(name) !== checksum)
    .map(([name]) => `migrations/${name} was ${present.has(name) ? 'changed' : 'removed'}. ${NEVER_EDITED}`);
}

export function checksumsFile(landed: Checksums, migrations: Migration[]): string {
  const present = migrations.map(({ name, checksum }): [string, string] => [name, checksum]);
  const entries = Object.entries({ ...Object.fromEntries(present), ...landed });
  return `${JSON.stringify(Object.fromEntries(entries.toSorted()), null, 2)}\n`;
}
