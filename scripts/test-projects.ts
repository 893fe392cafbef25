/** The vitest configuration of `npm test`, of the long tests and of both (test-tiers.ts). */
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { useOwnTemporaryFolder } from './temporary-folder.ts';
import { LONG_TESTS } from './test-tiers.ts';

export type Tier = 'first' | 'long' | 'all';

const FOLDERS = '{src,web,e2e,bench,scripts,fuzz,posthorn-client,examples}/**';
const POSTGRES = 'src/testing/setup-postgres.ts';
const THREADS = 'src/testing/setup-threads.ts';
const BUILD = 'src/testing/setup-build.ts';

/** The examples import the client by its name. */
const CLIENT = fileURLToPath(new URL('../posthorn-client/src/index.ts', import.meta.url));

/** Tests often wait, so four workers keep two cores busy. Tests that start processes wait most. */
const WORKERS = 4;

const KINDS = ['unit', 'browser', 'process'];

/** The end of a test file's name tells what the file needs and decides its project. docs/testing.md has the table. */
export function configureTests(tier: Tier): ViteUserConfig {
  useOwnTemporaryFolder();
  return defineConfig({
    test: {
      sequence: { sequencer: LongestFirst },
      projects: [
        project(tier, 'unit', {}),
        project(tier, 'doors', { globalSetup: [THREADS, POSTGRES] }),
        // Chromium itself uses two cores. With four workers, tests time out.
        project(tier, 'browser', { globalSetup: [BUILD, THREADS, POSTGRES], maxWorkers: 3 }),
        project(tier, 'process', { globalSetup: [BUILD, THREADS, POSTGRES], maxWorkers: 5 }),
      ].filter(({ test }) => test.include.length > 0),
    },
  });
}

function kindOf(path: string): string {
  return /\.(\w+)\.test\.ts$/.exec(path)?.[1] ?? 'doors';
}

function filesOf(tier: Tier, name: string): { include: string[]; exclude: string[] } {
  const isDoors = !KINDS.includes(name);
  const long = Object.keys(LONG_TESTS);
  const exclude = isDoors ? [`${FOLDERS}/*.{${KINDS.join(',')}}.test.ts`] : [];
  if (tier === 'long') {
    return { include: long.filter((path) => kindOf(path) === name), exclude: [] };
  }
  if (tier === 'first') exclude.push(...long);
  return { include: [isDoors ? `${FOLDERS}/*.test.ts` : `${FOLDERS}/*.${name}.test.ts`], exclude };
}

interface ProjectOptions {
  globalSetup?: string[];
  maxWorkers?: number;
}

function project(tier: Tier, name: string, { maxWorkers = WORKERS, ...setup }: ProjectOptions) {
  return {
    resolve: { alias: { 'posthorn-client': CLIENT } },
    test: {
      name,
      // The projects share the translated sources. Otherwise each of them would translate the sources again.
      experimental: { fsModuleCache: true },
      ...filesOf(tier, name),
      ...setup,
      setupFiles: ['src/testing/note-cpu-time.ts'],
      maxWorkers,
      // Projects with different numbers of workers must run one after the other.
      sequence: { groupOrder: maxWorkers },
      // Files of one worker share the loaded modules: no test leaves anything behind in a module, and loading costs
      // most.
      isolate: false,
      // The limit is for a busy machine, where the start of a process can take a good part of a minute.
      testTimeout: 90_000,
      hookTimeout: 60_000,
      // The default of one second is too short for a busy machine.
      expect: { poll: { timeout: 30_000, interval: 20 } },
    },
  };
}
