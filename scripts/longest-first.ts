/**
 * The order of test files: the slowest come first in their project, so that no worker runs alone at the end. Vitest
 * knows the times only after a first run on the same machine, and starts with large files until then.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of each project that take longest, slowest first. */
const LONGEST = [
  'e2e/web/campaign.browser.test.ts',
  'e2e/web/mail.browser.test.ts',
  'e2e/web/dashboard.browser.test.ts',
  'e2e/web/saving.browser.test.ts',
  'e2e/web/ab-test.browser.test.ts',
  'e2e/web/mail-manners.browser.test.ts',
  'e2e/web/mail-actions.browser.test.ts',
  'src/cli/team-move.test.ts',
  'src/features/delivery/transports/relay-faults.test.ts',
  'src/features/delivery/transports/destinations.test.ts',
  'src/smtp/receiver.test.ts',
  'src/features/campaigns/running/sending.test.ts',
  'src/http/mailbox-roles.test.ts',
  'src/features/activity/analytics/analytics.test.ts',
  'src/features/deliverability/health/health.test.ts',
  'src/cli/team-move-people.test.ts',
  'src/features/audience/contacts/imports/import-upload.test.ts',
  'src/http/scopes.test.ts',
  'src/smtp/together.test.ts',
  'src/features/mailboxes/rules/loops.test.ts',
  'src/features/webhooks/webhook-sender.test.ts',
  'src/worker/take-over.process.test.ts',
  'e2e/running.process.test.ts',
  'fuzz/fuzz.process.test.ts',
  'e2e/delivery-crash.process.test.ts',
  'e2e/guides/guides.process.test.ts',
  'src/platform/embedded-postgres.process.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not the method of an array
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [
        ...own.filter((file) => rank(file) !== -1).toSorted((a, b) => rank(a) - rank(b)),
        ...own.filter((file) => rank(file) === -1),
      ];
    });
  }
}

function rank({ moduleId }: TestSpecification): number {
  return LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
}
