/** A real browser for tests, if the machine has one. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const USUAL_FOLDERS = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'];
const USUAL_FILES = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/**
 * Features that cost half of the work of opening a page without being visible: the address bar's own pages and a spare
 * process for the next site.
 */
const UNSEEN_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];
/** Chromium uses only the last list that it gets, so the features that Playwright disables are repeated. */
const PLAYWRIGHT_TURNS_OFF = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Returns null if there is no browser; the tests should then be skipped. */
export function findBrowser(): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS].filter(Boolean);
  const files = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...USUAL_FILES];
  const found = files.find(isProgram) ?? null;
  if (!found) console.warn('No Chromium or Chrome was found: the tests that need a browser are skipped.');
  return found;
}

let ofThisWorker: Promise<Browser> | undefined;

/**
 * Returns one browser for all test files of a worker. Close the contexts you open, not the browser; it ends with the
 * worker.
 */
export function shareBrowser(executablePath: string): Promise<Browser> {
  return (ofThisWorker ??= startBrowser(executablePath));
}

export function startBrowser(executablePath: string): Promise<Browser> {
  // The browser's own sandbox does not start as root in a container.
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--disable-features=${[...UNSEEN_FEATURES, ...PLAYWRIGHT_TURNS_OFF].join(',')}`,
    ],
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
