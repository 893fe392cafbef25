/**
 * Writes all generated files. With --check it writes nothing and fails if one is out of date. The files about tables
 * are generated from a real database on which all migrations ran.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/config.ts';
import { readMigrations } from '../src/platform/database/migrations.ts';
import { clientFiles } from './client/client-files.ts';
import { decisionsPage, findMisnumbered, readDecisions } from './decisions-page.ts';
import { rolesPage } from './roles-page.ts';
import { findMissingComments } from './schema/check-comments.ts';
import { findUngrouped } from './schema/groups.ts';
import { checksumsFile, findEdited, type Checksums } from './schema/landed-migrations.ts';
import { schemaPage } from './schema/diagram-page.ts';
import { readCatalog } from './schema/read-catalog.ts';
import { findUnknownTargets } from './schema/relations.ts';
import { schemaSql } from './schema/sql-page.ts';
import { tablesFile } from './schema/tables-file.ts';
import { vendorPathsPage } from './vendor-paths-page.ts';
import { warmUpPicture } from './warm-up-picture.ts';

const CHECKSUMS = 'migrations/checksums.json';

function configurationPage(): string {
  const rows = Object.values(settings).map(
    ({ name, defaultText, description }) => `| \`${name}\` | ${defaultText} | ${description} |`,
  );
  return `# Settings

Posthorn reads its settings from the environment and from a file \`.env\` in the current folder, or from the file that a
command names with \`--env-file FILE\`. What the environment sets wins over the file. No setting is required. If a setting
is invalid, Posthorn does not start and lists all problems.

| setting | default | meaning |
| --- | --- | --- |
${rows.join('\n')}

Generated from \`src/config.ts\` by \`npm run generate\`.
`;
}

function environmentExample(): string {
  const entries = Object.values(settings).map(
    ({ name, defaultText, description }) => `# ${description}\n# Default: ${defaultText}\n#${name}=\n`,
  );
  return `# Copy this file to .env and uncomment the settings that you need.\n\n${entries.join('\n')}`;
}

const migrations = readMigrations();
const landed = (existsSync(CHECKSUMS) ? JSON.parse(readFileSync(CHECKSUMS, 'utf8')) : {}) as Checksums;
const tables = await readCatalog();
const decisions = readDecisions();
const problems = [
  ...findEdited(landed, migrations),
  ...findUngrouped(tables),
  ...findMissingComments(tables),
  ...findUnknownTargets(tables),
  ...findMisnumbered(decisions),
];
const files: Record<string, string> = {
  [CHECKSUMS]: checksumsFile(landed, migrations),
  'src/platform/database/tables.ts': tablesFile(tables),
  'docs/schema.sql': schemaSql(tables),
  'docs/schema.md': schemaPage(tables),
  'docs/configuration.md': configurationPage(),
  '.env.example': environmentExample(),
  'docs/decisions/README.md': decisionsPage(decisions),
  'docs/roles.md': rolesPage(),
  'docs/moving/paths.md': vendorPathsPage(),
  'docs/guides/warm-up.svg': warmUpPicture(),
  ...(await clientFiles()),
};
const stale = Object.entries(files).filter(
  ([path, content]) => !existsSync(path) || readFileSync(path, 'utf8') !== content,
);
for (const problem of problems) console.error(problem);
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is out of date: run npm run generate`);
  process.exitCode = problems.length + stale.length > 0 ? 1 : 0;
} else {
  for (const [path, content] of stale) writeFileSync(path, content);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
