import type { emailAppTexts as English } from '../en/email-apps.ts';

/** The texts about email apps. They are loaded with the dialog. */
export const emailAppTexts: typeof English = {
  title: 'E-Mail-Apps',
  lead: 'Verwenden Sie dieses Postfach in Thunderbird, Apple Mail, Outlook oder einer anderen E-Mail-App.',
  passwords: 'App-Passwörter',
  create: 'App-Passwort erstellen',
  none: 'Noch keine App-Passwörter',
  noneText: 'Eine E-Mail-App meldet sich mit einem App-Passwort an, nie mit Ihrem eigenen Passwort.',
  name: 'Gerät oder App',
  nameHint:
    'Zum Beispiel: Thunderbird auf meinem Laptop. Verwenden Sie für jedes Gerät ein eigenes App-Passwort.',
  neverUsed: 'Nie verwendet',
  lastUsed: 'Zuletzt verwendet',
  createdTitle: (name) => `App-Passwort für ${name}`,
  createdText: 'Geben Sie es jetzt in Ihrer E-Mail-App ein. Es wird nicht noch einmal angezeigt.',
  copyPassword: 'App-Passwort kopieren',
  revoke: 'Widerrufen',
  revokeNamed: (name) => `${name} widerrufen`,
  revokeTitle: (name) => `„${name}“ widerrufen?`,
  revokeText: 'E-Mail-Apps, die es verwenden, werden sofort getrennt und können sich nicht mehr anmelden.',
  settings: 'Einstellungen',
  app: 'App',
  user: 'Benutzername',
  password: 'Passwort',
  appPassword: 'Ein App-Passwort',
  incoming: 'Posteingang (IMAP)',
  outgoing: 'Postausgang (SMTP)',
  jmap: 'JMAP',
  port: (tls, startTls) => `Port ${tls} mit SSL/TLS oder Port ${startTls} mit STARTTLS`,
  copy: (name) => `${name} kopieren`,
  profile: 'Profil für Apple-Geräte herunterladen',
  profileText:
    'Öffnen Sie es auf einem iPhone, iPad oder Mac und installieren Sie es in den Einstellungen. Das Gerät fragt nach einem App-Passwort.',
  apps: {
    thunderbird: {
      name: 'Thunderbird',
      steps:
        'Öffnen Sie Konten-Einstellungen → Konten-Aktionen → E-Mail-Konto hinzufügen und geben Sie Ihren Namen, die Adresse und ein App-Passwort ein. Findet die App die Server nicht, wählen Sie „Manuell einrichten“.',
    },
    appleMail: {
      name: 'Apple Mail',
      steps:
        'Installieren Sie das Profil unten oder wählen Sie Mail → Account hinzufügen → Anderer Mail-Account.',
    },
    outlook: {
      name: 'Outlook',
      steps:
        'Wählen Sie Datei → Konto hinzufügen und geben Sie die Adresse ein. Öffnen Sie „Erweiterte Optionen“, wählen Sie die manuelle Einrichtung und dann IMAP.',
    },
    ios: {
      name: 'iPhone und iPad',
      steps:
        'Installieren Sie das Profil unten oder öffnen Sie Einstellungen → Apps → Mail → Mail-Accounts → Account hinzufügen → Andere.',
    },
    android: {
      name: 'Android (Gmail-App)',
      steps:
        'Öffnen Sie Gmail → Einstellungen → Konto hinzufügen → Sonstige. Geben Sie die Adresse ein und wählen Sie dann Privat (IMAP).',
    },
  },
};
