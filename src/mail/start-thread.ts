/** Starts a file of this program in a thread of its own. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * `file` without its ending, beside the module at `from`: built, it is JavaScript; from the sources it is TypeScript and
 * needs its translator first.
 */
export function startThread(file: string, from: string, options: WorkerOptions): Worker {
  if (!from.endsWith('.ts')) return new Worker(new URL(`${file}.js`, from), options);
  // The same as a module: the CommonJS form of it does not find its own files.
  const translator = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs');
  const source = new URL(`${file}.ts`, from).href;
  const program = `import('${pathToFileURL(translator).href}').then(({ register }) => (register(), import('${source}')))`;
  return new Worker(program, { ...options, execArgv: [], eval: true });
}
