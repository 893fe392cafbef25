/**
 * Checks that imports run one way. Fails on circular imports between files or folders, and on imports that the tables
 * below do not allow. Type imports count too, because someone who reads one file has to read the other.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { findCircles, type Graph } from './imports/find-circles.ts';

/** The folders that each folder may import in addition to itself. */
const MAY_IMPORT: Record<string, string[]> = {
  'src/platform/': [],
  'src/mail/': ['src/platform/'],
  'src/features/': ['src/mail/', 'src/platform/'],
  'src/http/': ['src/features/', 'src/mail/', 'src/platform/'],
  'src/smtp/': ['src/features/', 'src/mail/', 'src/platform/'],
  'src/imap/': ['src/features/', 'src/mail/', 'src/platform/'],
  'src/jmap/': ['src/features/', 'src/mail/', 'src/platform/'],
  'src/worker/': ['src/features/', 'src/mail/', 'src/platform/'],
  'src/cli/': ['src/'],
  // Only types of schema files are allowed, which .oxlintrc.json checks.
  'web/': ['src/features/', 'src/mail/html/tag-names.ts'],
};

/** The groups of `src/features`, lowest first. A group may import those before it. */
const GROUPS = [
  'instance',
  'api',
  'jobs',
  'audit',
  'events',
  'content',
  'sending',
  'audience',
  'campaigns',
  'automations',
  'mailboxes',
  'delivery',
  'deliverability',
  'identity',
  'webhooks',
  'account',
  'activity',
  'retention',
];
const FEATURES = 'src/features/';
const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+)'/g;

const files: Graph = new Map();
for (const root of ['src', 'web']) {
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const file = normalize(join(root, path));
    if (!/\.tsx?$/.test(file) || file.includes('.test.')) continue;
    const text = readFileSync(file, 'utf8');
    files.set(file, new Set([...text.matchAll(IMPORT)].map(([, to]) => normalize(join(dirname(file), to!)))));
  }
}

const problems = [
  ...findCircles(files).map((circle) => `These files import each other: ${circle.join(', ')}`),
  ...findCircles(foldersOf(files)).map((circle) => `These folders import each other: ${circle.join(', ')}`),
  ...[...files].flatMap(([file, imports]) =>
    [...imports]
      .filter((other) => !mayImport(file, other))
      .map((other) => `${file} must not import ${other}`),
  ),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Files directly in `src/` and `web/` start a process and import everything, so they do not count as a folder. */
function foldersOf(graph: Graph): Graph {
  const folders: Graph = new Map();
  for (const [file, imports] of graph) {
    const folder = dirname(file);
    if (isRoot(folder)) continue;
    const others = folders.get(folder) ?? new Set();
    for (const other of imports) {
      const otherFolder = dirname(other);
      if (otherFolder !== folder && !isRoot(otherFolder)) others.add(otherFolder);
    }
    folders.set(folder, others);
  }
  return folders;
}

function isRoot(folder: string): boolean {
  return folder === 'src' || folder === 'web';
}

function mayImport(file: string, other: string): boolean {
  const [layer, below] = Object.entries(MAY_IMPORT).find(([prefix]) => file.startsWith(prefix)) ?? [];
  if (layer === undefined || below === undefined) return true;
  if (![layer, ...below].some((prefix) => other.startsWith(prefix))) return false;
  return layer !== FEATURES || !other.startsWith(FEATURES) || mayImportFeature(file, other);
}

function mayImportFeature(file: string, other: string): boolean {
  const isForeignRoute = dirname(file) !== dirname(other) && other.endsWith('.routes.ts');
  return !isForeignRoute && levelOf(other) <= levelOf(file);
}

function levelOf(file: string): number {
  const level = GROUPS.indexOf(file.slice(FEATURES.length).split('/')[0]!);
  if (level === -1) throw new Error(`${file} is in no known group of features.`);
  return level;
}
