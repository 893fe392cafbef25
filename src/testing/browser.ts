/** A real browser for a test, where the machine has one. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
const USUAL_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** Null where there is none: tell the tests to skip. */
export function findBrowser(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS].filter(Boolean);
  const files = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...USUAL_FILES];
  const found = files.find(isProgram) ?? null;
  if (!found) console.warn('No Chromium or Chrome was found: the tests that need a browser are skipped.');
  return found;
}

let ofThisWorker: Promise<Browser> | undefined;

/** One for all test files of a worker: close the contexts that you open, and not the browser. It ends with the worker. */
export function shareBrowser(executablePath: string): Promise<Browser> {
  return (ofThisWorker ??= startBrowser(executablePath));
}

export function startBrowser(executablePath: string): Promise<Browser> {
  // As root, in a container, the browser's own sandbox does not start.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
