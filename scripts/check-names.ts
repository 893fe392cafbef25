/** Checks that no two files of the server export a type of the same name, because a name should have one meaning. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const EXPORTED_TYPE = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

const filesOf = new Map<string, string[]>();
for (const path of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.ts') || path.includes('.test.') || path.startsWith('testing/')) continue;
  const file = join('src', path);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(EXPORTED_TYPE)) {
    filesOf.set(name!, [...(filesOf.get(name!) ?? []), file]);
  }
}

for (const [name, files] of filesOf) {
  if (files.length === 1) continue;
  console.error(`${name} is exported by ${files.join(' and ')}`);
  process.exitCode = 1;
}
