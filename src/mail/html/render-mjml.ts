/**
 * Renders MJML with mrml, which is WebAssembly: it reads no files and no network, so `mj-include` is an error. Only for
 * worker threads. A trap, for example of very deep nesting, leaves its memory unusable, so the error ends the thread.
 */
import { createRequire } from 'node:module';

interface Mrml {
  Engine: new () => {
    toHtml(mjml: string): { type: 'success'; content: string } | { type: 'error'; message: string };
  };
}

export type RenderedMjml = { html: string } | { problem: string };

/** Where the library is. A bundle of this file cannot find it by its name. */
export function findMjmlLibrary(): string {
  return createRequire(import.meta.url).resolve('mrml');
}

export function renderMjml(mjml: string, library: string): RenderedMjml {
  const { Engine } = createRequire(import.meta.url)(library) as Mrml;
  const result = new Engine().toHtml(mjml);
  return result.type === 'success' ? { html: result.content } : { problem: result.message };
}
