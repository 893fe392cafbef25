/** Every text of the web app, in English. A translation is another file of the same shape. */
import { abTestTexts } from './en/ab-test.ts';
import { apiKeyTexts } from './en/api-keys.ts';
import { archiveTexts } from './en/archive.ts';
import { segmentTexts, topicTexts } from './en/audience.ts';
import { brandTexts } from './en/brand.ts';
import { campaignTexts } from './en/campaigns.ts';
import { checkTexts } from './en/check.ts';
import { reportTexts } from './en/report.ts';
import { contactTexts } from './en/contacts.ts';
import { domainTexts } from './en/domains.ts';
import { editorTexts } from './en/editor.ts';
import { emailTexts } from './en/emails.ts';
import { formTexts } from './en/forms.ts';
import { overviewTexts } from './en/overview.ts';
import { peopleTexts } from './en/people.ts';
import { queueTexts } from './en/queue.ts';
import { starterTexts } from './en/starters.ts';
import { suppressionTexts } from './en/suppressions.ts';
import { templateTexts } from './en/templates.ts';
import { versionTexts } from './en/versions.ts';
import { webhookTexts } from './en/webhooks.ts';

export const texts = {
  locale: 'en-GB',
  common: {
    product: 'Posthorn',
    add: 'Add',
    all: 'All',
    cancel: 'Cancel',
    close: 'Close',
    copied: 'Copied',
    copy: 'Copy',
    copyFailed: 'Copying was blocked by the browser. Select the text and copy it manually.',
    created: 'Created',
    delete: 'Delete',
    done: 'Done',
    edit: 'Edit',
    email: 'Email address',
    justNow: 'just now',
    leave: 'Leave without saving',
    leaveText: 'You have unsaved changes.',
    leaveTitle: 'Leave without saving?',
    loading: 'Loading…',
    more: 'More actions',
    name: 'Name',
    never: 'never',
    no: 'No',
    none: 'None',
    notes: 'Notifications',
    save: 'Save',
    saved: 'Saved',
    search: 'Search',
    status: 'Status',
    tryAgain: 'Try again',
    clearFilters: 'Clear filters',
    typeToConfirm: (text: string) => `Type ${text} to confirm`,
    yes: 'Yes',
    number: (value: number) => new Intl.NumberFormat('en-GB').format(value),
  },
  errors: {
    offline: 'Could not reach the server. Check your connection and try again.',
    sessionEnded: 'Your session has expired. Sign in and try again.',
    server: 'Something went wrong on the server. Try again in a moment.',
    unexpected: 'Something went wrong. Reload the page and try again.',
    notFoundTitle: 'Page not found',
    notFound: 'The link may be wrong, or the item may have been deleted.',
    toOverview: 'Go to overview',
    pageFailed: 'This page could not be loaded',
    reload: 'Reload',
  },
  sessionEnded: {
    title: 'Your session has expired',
    text: 'Sign in again in a new tab, then come back. Your changes on this page are kept.',
    signIn: 'Sign in in a new tab',
    notNow: 'Not now',
  },
  shell: {
    skip: 'Skip to content',
    navigation: 'Main',
    openNavigation: 'Open navigation',
    palette: 'Search…',
    paletteHint: 'Search or type a command',
    paletteEmpty: 'No results',
    paletteSearching: 'Searching…',
    results: (count: number) => (count === 1 ? '1 result' : `${count} results`),
    kinds: {
      action: 'Action',
      book: 'Contact book',
      campaign: 'Campaign',
      contact: 'Contact',
      domain: 'Domain',
      email: 'Email',
      template: 'Template',
      thread: 'Conversation',
    },
    actions: {
      compose: 'Write an email',
      campaign: 'Create campaign',
      template: 'Create template',
      book: 'Create contact book',
      segment: 'Create segment',
      topic: 'Create topic',
      domain: 'Add domain',
      apiKey: 'Create API key',
      webhook: 'Create webhook',
    },
    team: 'Team',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    since: 'Since',
    openNotice: {
      import: 'View import',
      confirmations: 'View contact books',
      verification: 'View domain',
      webhook: 'View webhook',
      relay: 'View emails',
    },
    docs: 'API documentation',
    groups: { sending: 'Sending', audience: 'Audience', developers: 'Developers', team: 'Team' },
    pages: {
      overview: 'Overview',
      mail: 'Mail',
      emails: 'Emails',
      queue: 'Queue',
      domains: 'Domains',
      suppressions: 'Suppressions',
      sandbox: 'Sandbox',
      campaigns: 'Campaigns',
      templates: 'Templates',
      contactBooks: 'Contact books',
      segments: 'Segments',
      topics: 'Topics',
      forms: 'Forms',
      webhooks: 'Webhooks',
      apiKeys: 'API keys',
      team: 'People',
      brand: 'Brand',
      settings: 'Settings',
    },
  },
  apiKeys: apiKeyTexts,
  brand: brandTexts,
  campaigns: campaignTexts,
  check: checkTexts,
  versions: versionTexts,
  starters: starterTexts,
  abTest: abTestTexts,
  archive: archiveTexts,
  report: reportTexts,
  contacts: contactTexts,
  domains: domainTexts,
  editor: editorTexts,
  emails: emailTexts,
  forms: formTexts,
  overview: overviewTexts,
  people: peopleTexts,
  queue: queueTexts,
  segments: segmentTexts,
  suppressions: suppressionTexts,
  templates: templateTexts,
  topics: topicTexts,
  webhooks: webhookTexts,
};
