import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

const FIRST_PAGE_LIMIT = 200_000;
const MAIL_LIMIT = 250_000;
/** The limit of every page except the editor. */
const PAGE_LIMIT = 300_000;

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

/** Returns the files that the browser fetches to run a chunk: the chunk and its static imports. */
function scriptsOf(manifest: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}.`);
  if (!seen.has(chunk.file)) {
    seen.add(chunk.file);
    for (const imported of chunk.imports ?? []) scriptsOf(manifest, imported, seen);
  }
  return seen;
}

test('the script of the first page stays under 200 kB, and holds neither chart nor editor', () => {
  const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<string, Chunk>;
  const entry = scriptsOf(manifest, 'index.html');
  for (const page of ['features/overview/overview-page.tsx', 'features/people/sign-in-page.tsx']) {
    const files = [...scriptsOf(manifest, page, new Set(entry))];
    const bytes = files.reduce((sum, file) => sum + statSync(`dist/web/${file}.gz`).size, 0);
    expect(bytes).toBeLessThan(FIRST_PAGE_LIMIT);
    const texts = files.map((file) => readFileSync(`dist/web/${file}`, 'utf8')).join('');
    expect(texts).not.toContain('ProseMirror');
    expect(texts).not.toContain('u-legend');
  }
});

test('the script of the first view of mail stays under 250 kB, and the editor comes when somebody writes', () => {
  const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<string, Chunk>;
  const files = scriptsOf(manifest, 'index.html');
  for (const page of ['mail-shell', 'mail-start', 'mail-page'])
    scriptsOf(manifest, `features/mail/${page}.tsx`, files);
  const bytes = [...files].reduce((sum, file) => sum + statSync(`dist/web/${file}.gz`).size, 0);
  expect(bytes).toBeLessThan(MAIL_LIMIT);
  const texts = [...files].map((file) => readFileSync(`dist/web/${file}`, 'utf8')).join('');
  expect(texts).not.toContain('ProseMirror');
});

test('a first visit to any page but the editor stays under 300 kB, with everything that it loads at once', () => {
  const manifest = JSON.parse(readFileSync('dist/web/.vite/manifest.json', 'utf8')) as Record<string, Chunk>;
  const pages = Object.keys(manifest).filter((name) => /^features\/.*-page\.tsx$/.test(name));
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    const names = [page, ...(page.includes('/mail/') ? ['features/mail/mail-shell.tsx'] : [])];
    const late = names.flatMap((name) => manifest[name]!.dynamicImports ?? []);
    const files = scriptsOf(manifest, 'index.html');
    for (const name of [...names, ...late]) if (!isEditor(manifest, name)) scriptsOf(manifest, name, files);
    const styles = Object.values(manifest).filter(({ file }) => files.has(file));
    for (const file of styles.flatMap(({ css = [] }) => css)) files.add(file);
    const bytes = [...files].reduce((sum, file) => sum + statSync(`dist/web/${file}.gz`).size, 0);
    expect([page, bytes < PAGE_LIMIT || bytes]).toEqual([page, true]);
  }
});

function isEditor(manifest: Record<string, Chunk>, name: string): boolean {
  const files = [...scriptsOf(manifest, name)];
  return files.some((file) => readFileSync(`dist/web/${file}`, 'utf8').includes('ProseMirror'));
}
