/** The texts about email apps. They are loaded with the dialog. */
export const emailAppTexts = {
  title: 'Email apps',
  lead: 'Use this mailbox in Thunderbird, Apple Mail, Outlook or another email app.',
  passwords: 'App passwords',
  create: 'Create app password',
  none: 'No app passwords yet',
  noneText: 'An email app logs in with an app password, never with your own password.',
  name: 'Device or app',
  nameHint: 'For example: Thunderbird on my laptop. Use one app password for each device.',
  neverUsed: 'Never used',
  lastUsed: 'Last used',
  createdTitle: (name: string) => `App password for ${name}`,
  createdText: 'Enter it in your email app now. It will not be shown again.',
  copyPassword: 'Copy app password',
  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeText: 'Email apps that use it are disconnected immediately and cannot log in again.',
  settings: 'Settings',
  app: 'App',
  user: 'User name',
  password: 'Password',
  appPassword: 'An app password',
  incoming: 'Incoming (IMAP)',
  outgoing: 'Outgoing (SMTP)',
  jmap: 'JMAP',
  port: (tls: number, startTls: number) => `Port ${tls} with SSL/TLS, or port ${startTls} with STARTTLS`,
  copy: (name: string) => `Copy ${name}`,
  profile: 'Download profile for Apple devices',
  profileText:
    'Open it on an iPhone, iPad or Mac and install it in the settings. The device asks for an app password.',
  apps: {
    thunderbird: {
      name: 'Thunderbird',
      steps:
        'Open Account Settings → Account Actions → Add Mail Account, and enter your name, the address and an app password. If the app does not find the servers, choose Configure manually.',
    },
    appleMail: {
      name: 'Apple Mail',
      steps: 'Install the profile below, or choose Mail → Add Account → Other Mail Account.',
    },
    outlook: {
      name: 'Outlook',
      steps:
        'Choose File → Add Account and enter the address. Open Advanced options, choose to set up your account manually, then choose IMAP.',
    },
    ios: {
      name: 'iPhone and iPad',
      steps:
        'Install the profile below, or open Settings → Apps → Mail → Mail Accounts → Add Account → Other.',
    },
    android: {
      name: 'Android (Gmail app)',
      steps: 'Open Gmail → Settings → Add account → Other. Enter the address, then choose Personal (IMAP).',
    },
  },
};
