/**
 * Checks the texts of the web app: no component has words of its own (texts/find-visible-text.ts), and every language has
 * all texts (texts/compare-texts.ts). Exceptions are in texts/allowed.ts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LANGUAGES } from '../web/texts/languages.ts';
import { ALLOWED_COPIES, ALLOWED_WORDS } from './texts/allowed.ts';
import { findCopied, findMissing } from './texts/compare-texts.ts';
import { findVisibleText } from './texts/find-visible-text.ts';

const FOLDER = 'web/texts';
const unused = new Set([...ALLOWED_WORDS, ...ALLOWED_COPIES]);
const problems: string[] = [];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'web'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.tsx') && existsSync(file));
for (const file of files) {
  for (const { line, text } of findVisibleText(file, readFileSync(file, 'utf8'))) {
    unused.delete(text);
    if (!ALLOWED_WORDS.has(text)) problems.push(`${file}:${line} “${text}” belongs into ${FOLDER}`);
  }
}

const modules = [
  'en.ts',
  ...readdirSync(join(FOLDER, 'en'))
    .filter((file) => !file.includes('.test.'))
    .map((file) => `en/${file}`),
];
for (const language of Object.keys(LANGUAGES).filter((each) => each !== 'en')) {
  for (const module of modules) {
    const translated = join(FOLDER, module.replace(/^en\b/, language));
    if (!existsSync(translated)) {
      problems.push(`${translated} is missing`);
      continue;
    }
    const [english, own] = await Promise.all([load(join(FOLDER, module)), load(translated)]);
    problems.push(
      ...findMissing(english, own).map((name) => `${translated}: ${name} does not match English`),
    );
    for (const text of findCopied(english, own)) {
      unused.delete(text);
      if (!ALLOWED_COPIES.has(text)) problems.push(`${translated}: “${text}” is not translated`);
    }
  }
}
for (const text of unused) problems.push(`scripts/texts/allowed.ts: “${text}” is not needed`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

async function load(file: string): Promise<Record<string, unknown>> {
  return (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
}
