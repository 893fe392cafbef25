/** Accessibility checks of a page in the browser, with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The only rule that differs between light and dark mode. */
export const CONTRAST = 'color-contrast';

interface Looks {
  /** Checks only these rules; all by default. */
  only?: string[];
}

interface Results {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Returns a line for each violation in the current state of the page. */
export async function findViolations(page: Page, { only }: Looks = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = {
    resultTypes: ['violations'],
    // Axe is not loaded in frames. Otherwise it waits half a second for each of them to answer.
    iframes: false,
    ...(only && { runOnly: only }),
  };
  // Only the lines leave the page: the complete result has an entry for every rule.
  return (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(${describeViolations.toString()})`,
  )) as string[];
}

/** Runs in the page. */
function describeViolations({ violations }: Results): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
