/** Starts a file of Posthorn in a worker thread. */
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

let bundles: string | null = null;

/** For tests: threads start from the bundles in this folder, so that no thread has to translate the sources. */
export function startThreadsFrom(folder: string): void {
  bundles = folder;
}

/**
 * `file` has no extension and is relative to the module at `from`. In a build the file is JavaScript. When running from
 * the sources it is TypeScript, and the thread registers tsx first.
 */
export function startThread(file: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`${file}.js`, from), options);
  if (bundles !== null)
    return new Worker(join(bundles, `${basename(file)}.js`), { ...options, execArgv: [] });
  // Use the ES module: the CommonJS build of tsx does not find its own files here.
  const compiler = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const source = new URL(`${file}.ts`, from).href;
  const program = `import('${pathToFileURL(compiler).href}').then(({ register }) => (register(), import('${source}')))`;
  return new Worker(program, { ...options, execArgv: [], eval: true });
}
