/** Every text of the web app, in English. A translation is another file of the same shape. */
import { apiKeyTexts } from './en/api-keys.ts';
import { segmentTexts, topicTexts } from './en/audience.ts';
import { campaignTexts } from './en/campaigns.ts';
import { contactTexts } from './en/contacts.ts';
import { domainTexts } from './en/domains.ts';
import { editorTexts } from './en/editor.ts';
import { emailTexts } from './en/emails.ts';
import { overviewTexts } from './en/overview.ts';
import { peopleTexts } from './en/people.ts';
import { suppressionTexts } from './en/suppressions.ts';
import { templateTexts } from './en/templates.ts';
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
    copyFailed: 'The browser did not let us copy. Select the text and copy it yourself.',
    created: 'Created',
    delete: 'Delete',
    done: 'Done',
    edit: 'Edit',
    email: 'Email address',
    justNow: 'just now',
    loading: 'Loading …',
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
    typeToConfirm: (text: string) => `Type ${text} to confirm`,
    yes: 'Yes',
    number: (value: number) => new Intl.NumberFormat('en-GB').format(value),
  },
  errors: {
    offline: 'The server cannot be reached. Look at your connection, then try again.',
    sessionEnded: 'Your session has ended. Sign in again, then try once more.',
    server: 'Something broke on the server. Try again in a moment.',
    unexpected: 'Something unexpected happened. Reload the page and try again.',
    notFoundTitle: 'There is nothing here',
    notFound: 'The address may be mistyped, or what was here is gone.',
    toOverview: 'Go to the overview',
    pageFailed: 'This page could not be shown',
    reload: 'Reload',
  },
  sessionEnded: {
    title: 'Your session has ended',
    text: 'Sign in again in a new tab, then come back here. What you have written on this page is still there.',
    signIn: 'Sign in in a new tab',
    notNow: 'Not now',
  },
  shell: {
    skip: 'Skip to the content',
    navigation: 'Main',
    openNavigation: 'Open the navigation',
    palette: 'Go to …',
    paletteHint: 'Type where to go',
    paletteEmpty: 'Nothing fits.',
    team: 'Team',
    theme: 'Theme',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    docs: 'API documentation',
    groups: { sending: 'Sending', audience: 'Audience', developers: 'Developers', team: 'Team' },
    pages: {
      overview: 'Overview',
      mail: 'Mail',
      emails: 'Emails',
      domains: 'Domains',
      suppressions: 'Suppressions',
      sandbox: 'Sandbox',
      campaigns: 'Campaigns',
      templates: 'Templates',
      contactBooks: 'Contact books',
      segments: 'Segments',
      topics: 'Topics',
      webhooks: 'Webhooks',
      apiKeys: 'API keys',
      team: 'People',
      settings: 'Settings',
    },
  },
  apiKeys: apiKeyTexts,
  campaigns: campaignTexts,
  contacts: contactTexts,
  domains: domainTexts,
  editor: editorTexts,
  emails: emailTexts,
  overview: overviewTexts,
  people: peopleTexts,
  segments: segmentTexts,
  suppressions: suppressionTexts,
  templates: templateTexts,
  topics: topicTexts,
  webhooks: webhookTexts,
};
