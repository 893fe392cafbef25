/** Checks that no statement in src declares the type of a column by hand (STYLE.md, "The schema"). */
import { execFileSync } from 'node:child_process';
import { findTypedColumns, readTables } from './rows/find-typed-columns.ts';

const tables = readTables('src/platform/database/tables.ts');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('src/testing/'));

const faults = new Set(
  files.flatMap((file) =>
    findTypedColumns(file, tables).map(
      (found) =>
        `${found.file}:${found.line} ${found.property} is a column: write Row<'${found.table}'>['${found.column}']`,
    ),
  ),
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.size > 0 ? 1 : 0;
