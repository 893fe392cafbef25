import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), preloadTypeface(), compressFiles()],
  // This is only for `vite dev` next to a running server. The server itself serves dist/web.
  server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // Inline assets would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // Without groups, every icon and control that two pages share is a file of its own, and a page loads up to 65.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 1 },
            {
              name: 'ui',
              test: /\/web\/(api|shell|ui)\/(?!lists\/|dates\/)|\/lucide-react\//,
              minShareCount: 2,
            },
            { name: 'dates', test: /\/web\/ui\/dates\//, minShareCount: 2 },
            { name: 'lists', test: /\/web\/ui\/lists\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
});

/** The letters of every page are fetched with its first script. */
function preloadTypeface(): Plugin {
  return {
    name: 'preload-typeface',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => name.includes('geist-latin-wght-normal'));
        if (file === undefined) throw new Error('The build has no typeface.');
        const attrs = { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head-prepend' }];
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
          brotliCompressSync(bytes, { params: { ...text, [constants.BROTLI_PARAM_QUALITY]: 10 } }),
        );
      }
    },
  };
}
