/**
 * Serves the web app that Vite built, from memory and with the files compressed at build time. The app is built once for
 * each language: English into the folder itself, German into de/ (decision 61). Files in assets/ have a content hash in
 * their names and are cached forever. Every page is the index.html of the visitor's language, which is never cached, so
 * that a new version and another language are visible immediately.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interfaceLanguage, type InterfaceLanguage } from '../features/identity/people/people.schema.ts';
import { takesEncoding } from './requests/accept-encoding.ts';
import { preferredLanguage } from './requests/accept-language.ts';
import type { Answer, Exchange } from './requests/exchange.ts';
import { readCookie } from './requests/session-cookie.ts';

export interface WebFile {
  contentType: string;
  plain: Buffer;
  gzip: Buffer | null;
  brotli: Buffer | null;
}

export interface WebFiles {
  /** Null if the path is neither a file nor a page of the web app, or if the client does not accept HTML. */
  answer(exchange: Exchange): Answer | null;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Only our own script files may run. Inline styles and remote images are allowed for the preview of an email. Its frame
 * inherits this policy, runs no script, and restricts it further with its own policy.
 */
const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https: http:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
};

/** Keeps the language for the pages before signing in. The web app sets it (web/features/people/language.ts). */
const LANGUAGE_COOKIE = 'ph_language';

/** Next to the built server. It does not exist when the server runs from its sources. */
const BUILT = fileURLToPath(new URL('../web/', import.meta.url));

export function loadWebFiles(folder: string = BUILT): WebFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const files = readFolder(folder);
  const pages = new Map<InterfaceLanguage, WebFile>();
  for (const language of interfaceLanguage.options) {
    const path = language === 'en' ? '/index.html' : `/${language}/index.html`;
    const page = files.get(path);
    if (page) pages.set(language, page);
    files.delete(path);
  }
  const languages = [...pages.keys()];
  return {
    answer(exchange) {
      const { path } = exchange;
      const file = files.get(path);
      if (file) {
        const isNamedByContent = /^(\/\w+)?\/assets\//.test(path);
        exchange.routeName = isNamedByContent ? '/assets/*' : path;
        return sendFile(exchange, file, {
          'cache-control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
        });
      }
      if (path !== '/' && (isReserved(path) || !wantsPage(exchange))) return null;
      exchange.routeName = '/';
      const page = pages.get(languageOf(exchange, languages))!;
      return sendFile(exchange, page, { ...PAGE_HEADERS, 'cache-control': 'no-store' });
    },
  };
}

/** Returns the language that the visitor chose, otherwise the one that the browser prefers; English if there is none. */
function languageOf(exchange: Exchange, languages: InterfaceLanguage[]): InterfaceLanguage {
  const chosen = readCookie(exchange.requestHeader('cookie'), LANGUAGE_COOKIE);
  return (
    languages.find((language) => language === chosen) ??
    preferredLanguage(exchange.requestHeader('accept-language'), languages) ??
    'en'
  );
}

/** Returns the files of a folder by path, with a leading slash. */
export function readFolder(folder: string): Map<string, WebFile> {
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const contentType = TYPES[extname(entry.name)];
    if (!entry.isFile() || !contentType) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const compressed = (ending: string) =>
      existsSync(`${file}.${ending}`) ? readFileSync(`${file}.${ending}`) : null;
    files.set(path, {
      contentType,
      plain: readFileSync(file),
      gzip: compressed('gz'),
      brotli: compressed('br'),
    });
  }
  return files;
}

/** A path of the API, or of a missing file, must get a 404 instead of a page. */
function isReserved(path: string): boolean {
  return /^\/(api|assets|docs|healthz|metrics)(\/|$)/.test(path) || /\.\w{1,8}$/.test(path);
}

/** Browsers accept HTML. Other clients get a 404 in JSON. */
function wantsPage(exchange: Exchange): boolean {
  return /\btext\/html\b/.test(exchange.requestHeader('accept') ?? '');
}

export function sendFile(exchange: Exchange, file: WebFile, headers: Record<string, string>): Answer {
  const [encoding, bytes] =
    file.brotli && takesEncoding(exchange, 'br')
      ? (['br', file.brotli] as const)
      : file.gzip && takesEncoding(exchange, 'gzip')
        ? (['gzip', file.gzip] as const)
        : ([null, file.plain] as const);
  for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
  if (encoding) exchange.setHeader('content-encoding', encoding);
  exchange.setHeader('vary', 'accept-encoding');
  return exchange.answer(200, file.contentType, bytes);
}
