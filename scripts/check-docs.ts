/**
 * Checks that every file and folder that the documentation or a comment names exists, and that docs/ARCHITECTURE.md
 * lists all folders of the feature groups.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  createPathIndex,
  findPathsInComments,
  findPathsInMarkdown,
  type NamedPath,
} from './docs/find-paths.ts';

/** Files of other projects, examples, and files of a release. */
const ELSEWHERE = new Set(['welcome.tsx', 'DEPENDENCIES.md', 'NOTES.md']);
/** These files also name files that no longer exist. */
const HISTORY = new Set(['CHANGELOG.md', 'STYLE.md']);
const ARCHITECTURE = 'docs/ARCHITECTURE.md';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '');
const exists = createPathIndex(files);

const problems = [
  ...files.filter(isChecked).flatMap((file) =>
    pathsIn(file)
      .filter(({ path }) => !exists(path) && !ELSEWHERE.has(path))
      .map(({ line, path }) => `${file}:${line} ${path} does not exist`),
  ),
  ...unlistedFolders(),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Comments in examples/ name files of other projects. */
function isChecked(file: string): boolean {
  if (file.endsWith('.md')) return !HISTORY.has(file);
  return /\.tsx?$/.test(file) && !file.startsWith('examples/');
}

function pathsIn(file: string): NamedPath[] {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.md') ? findPathsInMarkdown(text) : findPathsInComments(file, text);
}

function unlistedFolders(): string[] {
  const entries = readFileSync(ARCHITECTURE, 'utf8').split(/^(?=- `)/m);
  const folders = new Set(files.flatMap((file) => /^src\/features\/([^/]+\/[^/]+)\//.exec(file)?.[1] ?? []));
  return [...folders]
    .map((folder) => folder.split('/') as [string, string])
    .filter(([group, name]) => {
      const entry = entries.find((each) => each.startsWith(`- \`${group}/\``));
      return !entry?.includes(`\`${name}\``);
    })
    .map(([group, name]) => `${ARCHITECTURE} does not list the folder ${name} of the group ${group}`);
}
