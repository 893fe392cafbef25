/** The groups of tables in the order of the documentation. Every table is in one of them. */
import type { Table } from './read-catalog.ts';

interface Group {
  title: string;
  about: string;
  tables: string[];
}

const GROUPS: Group[] = [
  {
    title: 'Account',
    about: 'Teams, their domains, the people in them, and everything that signs in or authorises a request.',
    tables: [
      'teams',
      'team_storage',
      'domains',
      'link_hosts',
      'dmarc_reports',
      'dmarc_report_rows',
      'tls_reports',
      'tls_report_failures',
      'users',
      'recovery_codes',
      'memberships',
      'sessions',
      'identities',
      'team_sign_on',
      'setup_links',
      'invitations',
      'password_resets',
      'known_places',
      'sign_in_failures',
      'api_keys',
      'send_policies',
      'policy_sends',
      'approvals',
      'agent_reads',
      'oauth_clients',
      'oauth_grants',
      'oauth_tokens',
      'app_passwords',
      'idempotency_keys',
      'instance_secret',
      'audit_entries',
      'audit_seals',
      'request_log',
    ],
  },
  {
    title: 'Sending',
    about: 'Emails, what happened to them, and the counters of analytics.',
    tables: [
      'emails',
      'email_contents',
      'email_content_parts',
      'email_recipients',
      'email_envelopes',
      'email_tags',
      'email_visits',
      'suppressions',
      'templates',
      'media',
      'brands',
      'content_versions',
      'sandbox_messages',
      'daily_counts',
      'quarter_hour_counts',
      'total_counts',
    ],
  },
  {
    title: 'Automations',
    about: 'What happens by itself, the runs of contacts through it, and the events that applications send.',
    tables: [
      'automations',
      'automation_versions',
      'automation_runs',
      'automation_run_steps',
      'automation_emails',
      'automation_counts',
      'automation_members',
      'custom_events',
      'event_definitions',
      'stream_readers',
    ],
  },
  {
    title: 'Audience',
    about: 'Contact books, contacts, segments, topics, and imports.',
    tables: [
      'contact_books',
      'contact_book_counts',
      'contact_book_growth',
      'contact_hours',
      'contact_book_hours',
      'contacts',
      'segments',
      'topics',
      'contact_topics',
      'forms',
      'form_counts',
      'contact_imports',
      'contact_import_chunks',
      'contact_import_refusals',
    ],
  },
  {
    title: 'Campaigns',
    about: 'One email to many contacts, and the ledger of its recipients.',
    tables: [
      'campaigns',
      'campaign_batches',
      'campaign_recipients',
      'campaign_counts',
      'campaign_results',
      'campaign_hours',
      'campaign_domains',
      'campaign_links',
      'campaign_clicks',
      'feeds',
      'feed_items',
    ],
  },
  {
    title: 'Mailboxes',
    about: 'Addresses that receive mail, their threads and messages, and what a listening client is told.',
    tables: [
      'mailboxes',
      'mailbox_addresses',
      'mailbox_signatures',
      'mailbox_blocks',
      'mailbox_rules',
      'spam_learning',
      'spam_words',
      'spam_learned',
      'rule_log',
      'rule_applications',
      'rule_replies',
      'forward_targets',
      'message_invitations',
      'person_notes',
      'push_subscriptions',
      'notification_settings',
      'mail_notifications',
      'mailbox_watchers',
      'push_keys',
      'mailbox_access',
      'closed_mailboxes',
      'mailbox_activity',
      'mailbox_labels',
      'thread_assignments',
      'thread_snoozes',
      'thread_notes',
      'thread_presence',
      'thread_changes',
      'separated_threads',
      'mailbox_change_numbers',
      'folders',
      'threads',
      'merged_threads',
      'mailbox_folder_counts',
      'blobs',
      'messages',
      'message_references',
      'message_attachments',
      'message_structures',
      'search_grams',
      'vanished_messages',
      'subscribed_names',
      'mailbox_events',
      'saved_replies',
      'saved_reply_files',
      'mail_uploads',
      'mail_submissions',
      'mail_identities',
      'vacation_responses',
      'vacation_replies',
    ],
  },
  {
    title: 'Delivery queue',
    about: 'What waits to be sent, and relays that do not accept mail.',
    tables: [
      'deliveries',
      'destination_connections',
      'destination_rates',
      'crowded_destinations',
      'tls_sessions',
      'tls_reports_sent',
      'relay_failures',
      'egress_warmups',
      'egress_days',
      'egress_slowdowns',
    ],
  },
  {
    title: 'Events and webhooks',
    about: 'What happened, endpoints that are told of it, and every call that is made to them.',
    tables: ['events', 'webhooks', 'webhook_calls', 'webhook_attempts'],
  },
  {
    title: 'Jobs',
    about: 'Background jobs, the times of those that run regularly, and whether they move.',
    tables: ['jobs', 'job_schedule', 'job_progress'],
  },
];

export interface GroupedTables extends Omit<Group, 'tables'> {
  tables: Table[];
}

export function groupTables(tables: Table[]): GroupedTables[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return GROUPS.map((group) => ({
    ...group,
    tables: group.tables.flatMap((name) => byName.get(name) ?? []),
  }));
}

/** Returns a line for each table without a group, and for each name in a group that is not a table. */
export function findUngrouped(tables: Table[]): string[] {
  const grouped = new Set(GROUPS.flatMap((group) => group.tables));
  const names = new Set(tables.map(({ name }) => name));
  return [
    ...[...names].filter((name) => !grouped.has(name)).map((name) => `The table ${name} is in no group.`),
    ...[...grouped].filter((name) => !names.has(name)).map((name) => `There is no table ${name}.`),
  ].map((problem) => `${problem} Change GROUPS in scripts/schema/groups.ts.`);
}
