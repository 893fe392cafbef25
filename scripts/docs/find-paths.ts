/** Finds the paths of files and folders that texts name. */
import { parseSync } from 'oxc-parser';

export interface NamedPath {
  line: number;
  path: string;
}

const ROOTS = [
  'bench',
  'bin',
  'docs',
  'e2e',
  'examples',
  'fuzz',
  'migrations',
  'posthorn-client',
  'scripts',
  'src',
  'web',
];
const BELOW_ROOT = new RegExp(`^(?:${ROOTS.join('|')})/[\\w./-]*$`);
const FILE_NAME = /^[\w./-]*[\w-]\.(?:tsx?|sql|md)$/;
/** A name such as `x.test.ts` or `0042_…` is only an example. */
const PLACEHOLDER = /(?:^|\/)x\.|NNNN/;

/** Finds paths in the code spans of a Markdown text. A file may be named without its folders. */
export function findPathsInMarkdown(text: string): NamedPath[] {
  return text.split('\n').flatMap((line, at) =>
    [...line.matchAll(/`([^`]+)`/g)]
      .map(([, span]) => span!)
      .filter(isPath)
      .map((path) => ({ line: at + 1, path })),
  );
}

/** Finds files in the comments of a TypeScript file. */
export function findPathsInComments(file: string, text: string): NamedPath[] {
  return parseSync(file, text).comments.flatMap(({ value, start }) => {
    const firstLine = text.slice(0, start).split('\n').length;
    return value.split('\n').flatMap((line, at) =>
      line
        .split(/[\s()`'",:;]+/)
        .map((word) => word.replace(/\.$/, ''))
        .filter((word) => FILE_NAME.test(word) && isPath(word))
        .map((path) => ({ line: firstLine + at, path })),
    );
  });
}

function isPath(text: string): boolean {
  return !PLACEHOLDER.test(text) && (FILE_NAME.test(text) || BELOW_ROOT.test(text));
}

/** Returns a function that tells whether a path, or one that ends with it, is among the files or their folders. */
export function createPathIndex(files: readonly string[]): (path: string) => boolean {
  const known = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let from = 0; from < parts.length; from++) known.add(parts.slice(from).join('/'));
    for (let to = 1; to < parts.length; to++) known.add(parts.slice(0, to).join('/'));
  }
  return (path) => known.has(path.replace(/^(?:\.{1,2}\/)+/, '').replace(/\/$/, ''));
}
