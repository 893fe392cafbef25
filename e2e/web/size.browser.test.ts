import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

const PAGE_LIMIT = 300_000;
const EDITOR_LIMIT = 400_000;
const FIRST_SCRIPT_LIMIT = 200_000;
/** What the API answers on a first visit, compressed, by `npm run measure:pages`. */
const ANSWERS = 15_000;
/** What the headers of each response take. */
const HEADERS = 350;
const MAIL = ['mail-shell', 'mail-start', 'mail-page'].map((name) => `features/mail/${name}.tsx`);

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<string, Chunk>;

/** Returns the files that the browser fetches to run a chunk: the chunk and its static imports. */
function scriptsOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}.`);
  if (!seen.has(chunk.file)) {
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) scriptsOf(imported, seen);
  }
  return seen;
}

function filesOf(names: readonly string[]): string[] {
  const files = new Set<string>();
  for (const name of ['index.html', ...names]) scriptsOf(name, files);
  const chunks = Object.values(manifest).filter(({ file }) => files.has(file));
  return [...files, ...chunks.flatMap(({ css = [] }) => css)];
}

function sizeOf(files: readonly string[], ending: 'br' | 'gz'): number {
  return files.reduce((sum, file) => sum + statSync(`dist/web/${file}.${ending}`).size, 0);
}

/** The bytes of a first visit, as browsers fetch it: with Brotli, and the typeface. */
function weigh(names: readonly string[]): number {
  const files = filesOf(names);
  const typeface = readdirSync('dist/web/assets').find((file) => /^geist-latin-[\w-]+\.woff2$/.test(file));
  return (
    sizeOf(files, 'br') +
    statSync(`dist/web/assets/${typeface}`).size +
    (files.length + 1) * HEADERS +
    ANSWERS
  );
}

function textOf(files: readonly string[]): string {
  return files.map((file) => readFileSync(`dist/web/${file}`, 'utf8')).join('');
}

test('the script of the first page stays under 200 kB, and holds neither chart nor editor', () => {
  for (const page of ['features/overview/overview-page.tsx', 'features/people/sign-in-page.tsx']) {
    const files = filesOf([page]).filter((file) => file.endsWith('.js'));
    expect(sizeOf(files, 'gz')).toBeLessThan(FIRST_SCRIPT_LIMIT);
    expect(textOf(files)).not.toContain('ProseMirror');
    expect(textOf(files)).not.toContain('u-legend');
  }
});

test('reading mail stays under 300 kB without the editor, and writing under 400 kB', () => {
  expect(weigh(MAIL)).toBeLessThan(PAGE_LIMIT);
  expect(textOf(filesOf(MAIL))).not.toContain('ProseMirror');
  const writing = ['composer', 'compose-dock'].map((name) => `features/mail/compose/${name}.tsx`);
  expect(weigh([...MAIL, ...writing])).toBeLessThan(EDITOR_LIMIT);
});

test('a first visit to any page but the editor stays under 300 kB, with everything that it loads at once', () => {
  const pages = Object.keys(manifest).filter((name) => /^features\/.*-page\.tsx$/.test(name));
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const names = [page, ...(page.includes('/mail/') ? ['features/mail/mail-shell.tsx'] : [])];
    const late = names.flatMap((name) => manifest[name]!.dynamicImports ?? []);
    const bytes = weigh([...names, ...late].filter((name) => !isEditor(name)));
    expect([page, bytes < PAGE_LIMIT || bytes]).toEqual([page, true]);
  }
});

test.each(['campaigns/campaign', 'templates/template'])(
  'a first visit to the editor of %s stays under 400 kB',
  (page) => {
    expect(weigh([`features/${page}-page.tsx`, 'editor/content-editor.tsx'])).toBeLessThan(EDITOR_LIMIT);
  },
);

function isEditor(name: string): boolean {
  return textOf([...scriptsOf(name)]).includes('ProseMirror');
}
