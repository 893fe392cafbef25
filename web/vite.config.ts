import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import type { InterfaceLanguage } from '../src/features/identity/people/people.schema.ts';

/** Without groups, every icon and control that two pages share is a file of its own, and a page loads up to 65. */
const CODE_SPLITTING = {
  groups: [
    { name: 'start', tags: ['$initial' as const], priority: 1 },
    { name: 'ui', test: /\/web\/(api|shell|ui)\/(?!lists\/|dates\/)|\/lucide-react\//, minShareCount: 2 },
    { name: 'dates', test: /\/web\/ui\/dates\//, minShareCount: 2 },
    { name: 'lists', test: /\/web\/ui\/lists\//, minShareCount: 2 },
  ],
};

/** `WEB_LANGUAGE=de npm run dev:web` shows the app in German. build.ts builds all languages. */
export default defineConfig(configureWeb((process.env.WEB_LANGUAGE ?? 'en') as InterfaceLanguage));

/** The app in one language. English is at the root of the output, every other language in a folder of its own. */
export function configureWeb(language: InterfaceLanguage, folder = '../dist/web'): UserConfig {
  const subfolder = language === 'en' ? '' : `${language}/`;
  return {
    root: import.meta.dirname,
    base: `/${subfolder}`,
    plugins: [react(), tailwind(), speak(language), prepareFirstPaint(), compressFiles()],
    // What TipTap compares is plain and small.
    resolve: { alias: { 'fast-equals': join(import.meta.dirname, 'editor/deep-equal.ts') } },
    // This is only for `vite dev` next to a running server. The server itself serves dist/web.
    server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
    build: {
      outDir: join(folder, subfolder),
      // build.ts does it, because the other languages are written into the folder of English.
      emptyOutDir: false,
      target: 'es2022',
      manifest: true,
      // Inline assets would need a weaker content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        // The packages of TipTap make all of their extensions when they are loaded. The ones that nobody uses are left out.
        treeshake: { manualPureFunctions: ['Extension.create', 'Mark.create', 'Node.create'] },
        output: { codeSplitting: CODE_SPLITTING },
      },
    },
  };
}

/**
 * Pages import their texts from texts/en. For another language, each of these modules is replaced by the one with the same
 * name in its folder. A module that is not translated yet stays English; `npm run check:texts` names it.
 */
function speak(language: InterfaceLanguage): Plugin {
  const english = join(import.meta.dirname, 'texts/en');
  const own = join(import.meta.dirname, 'texts', language);
  return {
    name: 'speak',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (language === 'en' || !/\ben(\/[\w-]+)?\.ts$/.test(source)) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (!found?.id.startsWith(english)) return null;
      const translated = own + found.id.slice(english.length);
      return existsSync(translated) ? translated : null;
    },
    transformIndexHtml: (html) => html.replace('<html lang="en">', `<html lang="${language}">`),
  };
}

/**
 * What every page needs before its first paint, named by its content, so that a later visit waits for nothing but the page
 * itself: the letters are fetched with the first script, and start.js runs from the cache.
 */
function prepareFirstPaint(): Plugin {
  let base = '/';
  return {
    name: 'prepare-first-paint',
    apply: 'build',
    configResolved: (config) => void (base = config.base),
    buildStart() {
      const source = readFileSync(join(import.meta.dirname, 'start.js'));
      this.emitFile({ type: 'asset', name: 'start.js', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const urlOf = (name: string) => {
          const asset = Object.values(bundle).find(
            (file) => file.type === 'asset' && file.names.includes(name),
          );
          if (!asset) throw new Error(`The build has no ${name}.`);
          return base + asset.fileName;
        };
        const attrs = {
          rel: 'preload',
          href: urlOf('geist-latin.woff2'),
          as: 'font',
          type: 'font/woff2',
          crossorigin: '',
        };
        return {
          html: html.replace('/start.js', urlOf('start.js')),
          tags: [{ tag: 'link', attrs, injectTo: 'head-prepend' }],
        };
      },
    },
  };
}

/** Compresses each file once at build time. The HTTP server picks the version that the browser accepts. */
function compressFiles(): Plugin {
  let outDir = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved: (config) => void (outDir = resolve(config.root, config.build.outDir)),
    closeBundle() {
      for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const bytes = readFileSync(path);
        const text = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        writeFileSync(
          `${path}.br`,
          brotliCompressSync(bytes, { params: { ...text, [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        );
      }
    },
  };
}
