/**
 * The tests come in two tiers. `npm test` runs the first one before every commit. The long tests listed here run with
 * `npm run test:all` and in CI. Each of them names tests of the first tier that fail too when the feature is broken as a
 * whole, so that a mistake is rarely found by the long tests alone.
 */
const EVERY_PAGE = 'e2e/web/every-page.browser.test.ts';
const MAIL = 'e2e/web/mail.browser.test.ts';
const RUNNING = 'e2e/running.process.test.ts';
const START = 'e2e/web/starting-and-sending.browser.test.ts';
const AUTOMATIONS = 'src/features/automations/automations.test.ts';
const STEPS = 'src/features/automations/steps.test.ts';

/** By file: the tests of the first tier that cover the same in less time. */
export const LONG_TESTS: Readonly<Record<string, readonly string[]>> = {
  // Walks in a browser. The first tier has a walk through every page, the first start, sending, and a day in webmail.
  'e2e/web/ab-test.browser.test.ts': [EVERY_PAGE, 'src/features/campaigns/ab-test/ab-test.test.ts'],
  'e2e/web/agents.browser.test.ts': [EVERY_PAGE, 'src/features/identity/api-keys/api-keys.test.ts'],
  'e2e/web/approvals.browser.test.ts': [EVERY_PAGE, 'src/features/sending/approvals/approvals.test.ts'],
  'e2e/web/archive.browser.test.ts': ['src/http/public/archive.test.ts'],
  'e2e/web/blocks.browser.test.ts': [EVERY_PAGE, 'web/editor/write-document.unit.test.ts'],
  'e2e/web/campaign.browser.test.ts': [EVERY_PAGE, 'src/features/campaigns/running/sending.test.ts'],
  'e2e/web/contacts.browser.test.ts': [EVERY_PAGE, 'web/features/contacts/contact-input.unit.test.ts'],
  'e2e/web/controls.browser.test.ts': [EVERY_PAGE, 'web/ui/options.unit.test.ts'],
  'e2e/web/dashboard.browser.test.ts': [EVERY_PAGE, START],
  'e2e/web/edges.browser.test.ts': [EVERY_PAGE],
  'e2e/web/editor.browser.test.ts': [EVERY_PAGE, 'web/editor/write-document.unit.test.ts'],
  'e2e/web/folders.browser.test.ts': [MAIL],
  'e2e/web/forms.browser.test.ts': [EVERY_PAGE, 'src/http/public/forms.test.ts'],
  'e2e/web/german.browser.test.ts': [EVERY_PAGE, 'src/http/web-files.test.ts'],
  'e2e/web/imports.browser.test.ts': [EVERY_PAGE, 'web/features/contacts/column-mapping.unit.test.ts'],
  'e2e/web/lists.browser.test.ts': [EVERY_PAGE, 'web/features/segments/filter-model.unit.test.ts'],
  'e2e/web/mail-focus.browser.test.ts': [MAIL],
  'e2e/web/mail-manners.browser.test.ts': [MAIL],
  'e2e/web/mail-programs.browser.test.ts': [MAIL],
  'e2e/web/mail-trouble.browser.test.ts': [MAIL],
  'e2e/web/mail-writing.browser.test.ts': [MAIL],
  'e2e/web/many-threads.browser.test.ts': [MAIL],
  'e2e/web/newsletters.browser.test.ts': ['e2e/web/hostile-mail.browser.test.ts'],
  'e2e/web/notices.browser.test.ts': [EVERY_PAGE],
  'e2e/web/overview.browser.test.ts': [EVERY_PAGE],
  'e2e/web/people.browser.test.ts': [EVERY_PAGE, START],
  'e2e/web/queue.browser.test.ts': [EVERY_PAGE, 'src/features/delivery/queue/queue.test.ts'],
  'e2e/web/report.browser.test.ts': [EVERY_PAGE],
  'e2e/web/sandbox-and-help.browser.test.ts': [EVERY_PAGE],
  'e2e/web/saving.browser.test.ts': [EVERY_PAGE, START],
  'e2e/web/size.browser.test.ts': [EVERY_PAGE],
  'src/mail/html/clean-html.browser.test.ts': ['e2e/web/hostile-mail.browser.test.ts'],

  // Processes: every command, installation and combination of settings.
  'bench/limit.process.test.ts': ['src/http/heavy.test.ts'],
  'e2e/build.process.test.ts': [RUNNING],
  'e2e/campaign-crash.process.test.ts': ['e2e/delivery-crash.process.test.ts'],
  'e2e/guides/guides.process.test.ts': ['src/http/openapi/openapi.test.ts'],
  'e2e/guides/pages.process.test.ts': ['src/http/docs/docs.browser.test.ts'],
  'e2e/mail-log.process.test.ts': [RUNNING],
  'e2e/package.process.test.ts': [RUNNING],
  'e2e/upgrade/upgrade.process.test.ts': ['src/platform/backup/backup.test.ts'],
  'e2e/starts-and-stops.process.test.ts': [RUNNING],
  'e2e/usesend-client.process.test.ts': ['posthorn-client/posthorn-client.test.ts'],
  'examples/start.process.test.ts': ['examples/examples.test.ts'],
  'fuzz/fuzz.process.test.ts': ['src/http/hostile-clients.test.ts', 'src/imap/hostile.test.ts'],
  'posthorn-client/package.process.test.ts': ['posthorn-client/posthorn-client.test.ts'],
  'scripts/release/release.process.test.ts': ['scripts/release/changelog.unit.test.ts'],
  'src/cli/backup.process.test.ts': ['src/platform/backup/backup.test.ts'],
  'src/cli/commands.process.test.ts': [RUNNING],
  'src/cli/doctor/doctor-outgoing.process.test.ts': [RUNNING],
  'src/cli/doctor/doctor.process.test.ts': [RUNNING],
  'src/cli/queue.process.test.ts': ['src/features/delivery/queue/queue.test.ts'],
  'src/http/openapi/generators.process.test.ts': ['src/http/openapi/openapi.test.ts'],
  'src/platform/certificates/acme.process.test.ts': [RUNNING],
  'src/platform/embedded-postgres.process.test.ts': [RUNNING],
  'src/worker/clock.process.test.ts': ['src/http/process-clock.test.ts'],
  'src/worker/take-over.process.test.ts': ['e2e/delivery-crash.process.test.ts'],

  // Doors: races and faults that are repeated many times, and large inputs.
  'src/http/obedient-agent.test.ts': [
    'src/features/sending/policies/outcomes.test.ts',
    'src/features/sending/policies/indirect.test.ts',
  ],
  'fuzz/automations/graphs.test.ts': [AUTOMATIONS, STEPS],
  'src/cli/import/imap/import-imap.test.ts': ['src/cli/import/import-mailchimp.test.ts'],
  'src/cli/team-move-agents.test.ts': ['src/cli/team-move-people.test.ts'],
  'src/cli/team-move.test.ts': ['src/cli/team-move-people.test.ts'],
  'src/features/activity/analytics/time-series.test.ts': [
    'src/features/activity/analytics/analytics.test.ts',
  ],
  'src/features/audience/contacts/imports/import-upload.test.ts': [
    'src/features/audience/contacts/imports/import-consent.test.ts',
  ],
  'src/features/automations/edge-cases.test.ts': [AUTOMATIONS],
  'src/features/automations/hostile.test.ts': [AUTOMATIONS],
  'src/features/automations/loops.test.ts': [AUTOMATIONS],
  'src/features/automations/race.test.ts': [AUTOMATIONS],
  'src/features/automations/waits.test.ts': [AUTOMATIONS, STEPS],
  'src/features/campaigns/running/endless-styles.test.ts': ['src/features/campaigns/running/sending.test.ts'],
  'src/features/campaigns/running/parking.test.ts': ['src/features/campaigns/running/self-pause.test.ts'],
  'src/features/campaigns/running/pausing.test.ts': ['src/features/campaigns/running/sending.test.ts'],
  'src/features/content/stored/object-store.test.ts': [
    'src/features/content/stored/object-store-log.test.ts',
  ],
  'src/features/deliverability/health/health.test.ts': [EVERY_PAGE],
  'src/features/delivery/transports/destinations.test.ts': [
    'src/features/delivery/transports/direct-transport.test.ts',
  ],
  'src/features/delivery/transports/relay-faults.test.ts': [
    'src/features/delivery/transports/relay-health.test.ts',
    'src/features/delivery/transports/session-pool.unit.test.ts',
  ],
  'src/features/mailboxes/rules/loops.test.ts': ['src/features/mailboxes/rules/rules.test.ts'],
  'src/features/mailboxes/spam/rspamd.test.ts': ['src/features/campaigns/check/check-spam.test.ts'],
  'src/features/mailboxes/writing/scheduled-races.test.ts': [
    'src/features/mailboxes/writing/scheduled.test.ts',
  ],
  'src/features/sending/emails/large-html.test.ts': ['src/features/sending/emails/emails.test.ts'],
  'src/features/webhooks/slow-endpoints.test.ts': ['src/features/webhooks/webhook-sender.test.ts'],
  'src/http/concurrent-calls.test.ts': ['src/http/manners.test.ts'],
  'src/http/full-disk-doors.test.ts': ['src/http/full-disk.test.ts'],
  'src/http/hostile-bodies.test.ts': ['src/http/hostile-clients.test.ts'],
  'src/http/memory.test.ts': ['src/platform/memory/memory-budget.unit.test.ts'],
  'src/http/vendors/amplification.test.ts': ['src/platform/memory/request-meter.unit.test.ts'],
  'src/smtp/protocol/chunking.test.ts': ['src/smtp/protocol/parameters.test.ts'],
  'src/smtp/protocol/unstuff-data.test.ts': ['src/smtp/inbound.test.ts'],
  'src/smtp/receiver.test.ts': ['src/smtp/inbound.test.ts', 'src/smtp/together.test.ts'],
};
