import type { domainTexts as English } from '../en/domains.ts';

export const domainTexts: typeof English = {
  title: 'Domains',
  lead: 'Verifizieren Sie eine Domain, um von ihr E-Mails zu senden.',
  add: 'Domain hinzufügen',
  first: 'Erste Domain hinzufügen',
  name: 'Domain',
  nameHint:
    'Zum Beispiel example.com oder mail.example.com. Zum Ausprobieren in der Sandbox genügt ein Name, der auf .test endet.',
  region: 'Route',
  regionHint: 'Nur nötig, wenn der Server mehrere Ausgangsrouten hat.',
  addAction: 'Domain hinzufügen',
  emptyTitle: 'Noch keine Domains',
  emptyText:
    'Fügen Sie die Domain hinzu, von der Sie senden möchten. Solange die Sandbox eingeschaltet ist, gilt ein Name, der auf .test endet, sofort als verifiziert.',
  statuses: {
    NOT_STARTED: 'Nicht verifiziert',
    PENDING: 'Wird geprüft',
    SUCCESS: 'Verifiziert',
    FAILED: 'Fehlgeschlagen',
    TEMPORARY_FAILURE: 'Neuer Versuch',
  },
  recordStatuses: {
    NOT_STARTED: 'Noch nicht geprüft',
    PENDING: 'Noch nicht gefunden',
    SUCCESS: 'Gefunden',
    FAILED: 'Falsch oder nicht vorhanden',
    TEMPORARY_FAILURE: 'DNS hat nicht geantwortet',
  },
  notNeeded: 'Nicht nötig',
  verify: 'Einträge prüfen',
  verifyStarted: 'DNS-Einträge werden geprüft',
  lastChecked: 'Zuletzt geprüft',
  records: 'DNS-Einträge',
  recordsLead:
    'Legen Sie diese Einträge bei Ihrem DNS-Anbieter an. Bis Änderungen überall gelten, kann es etwas dauern.',
  programs: 'E-Mail-Apps',
  programsLead: 'Optional. Mit diesen Einträgen finden E-Mail-Apps die Server Ihrer Postfächer.',
  recommended: 'Empfohlen',
  recommendedLead:
    'Zum Senden nicht nötig. DMARC schützt Ihren Ruf als Absender, und mit dem MX-Eintrag können Sie E-Mails empfangen.',
  recordType: 'Typ',
  recordName: 'Name',
  recordValue: 'Wert',
  recordPriority: 'Priorität',
  recordTtl: 'TTL',
  copyName: 'Namen kopieren',
  fullName: 'Ganzer Name',
  copyFullName: 'Ganzen Namen kopieren',
  copyAll: 'Alle Einträge kopieren',
  allCopied: 'Alle Einträge kopiert',
  zoneFile: 'Zonendatei herunterladen',
  purposes: {
    dkim: 'DKIM: signiert Ihre E-Mails, damit Empfänger prüfen können, dass sie von Ihnen stammen.',
    bounceMx: 'Rückweg: bringt Berichte über unzustellbare E-Mails zurück zu diesem Server.',
    spf: 'SPF: sagt, dass dieser Server für Ihren Rückweg senden darf.',
    dmarc: 'DMARC: sagt Empfängern, was mit E-Mails geschehen soll, die nur vorgeben, von Ihnen zu sein.',
    inboundMx:
      'Empfang: bringt E-Mails für Ihre Postfächer zu diesem Server. Lassen Sie den Eintrag weg, wenn ein anderer Server Ihre E-Mails empfängt.',
    tlsReports: 'Berichte: Andere Server melden Ihnen, ob E-Mails an Sie verschlüsselt sind.',
    mtaSts: 'MTA-STS: bringt andere Server dazu, E-Mails an Sie zu verschlüsseln.',
    linkHost: 'Links: gibt den Links in Ihren E-Mails einen Host Ihrer Domain.',
    caa: 'Zertifikate: erlaubt die Stelle, von der dieser Server sie erhält.',
    service: 'Damit finden E-Mail-Apps die Server Ihrer Postfächer.',
  },
  providers: {
    label: 'Wo liegt Ihr DNS?',
    choose: 'Anbieter wählen, um Hinweise zu sehen',
    names: {
      cloudflare: 'Cloudflare',
      route53: 'Amazon Route 53',
      godaddy: 'GoDaddy',
      namecheap: 'Namecheap',
      hetzner: 'Hetzner',
      squarespace: 'Squarespace (Google Domains)',
      ovh: 'OVHcloud',
      other: 'Anderer Anbieter',
    },
    where: {
      cloudflare: 'Öffnen Sie Ihre Domain im Cloudflare-Dashboard, dann DNS → Records → Add record.',
      route53: 'Öffnen Sie Route 53 → Hosted zones → Ihre Domain → Create record.',
      godaddy: 'Öffnen Sie Ihr Domain-Portfolio, dann Ihre Domain → DNS → Add New Record.',
      namecheap:
        'Öffnen Sie Domain List → Manage → Advanced DNS → Add New Record. Für MX-Einträge stellen Sie zuerst Mail Settings auf Custom MX.',
      hetzner: 'Öffnen Sie den Bereich DNS der Hetzner Console, dann Ihre Zone → Records → Add record.',
      squarespace:
        'Öffnen Sie Domains → Ihre Domain → DNS → DNS Settings → Add record, unter Custom records.',
      ovh: 'Öffnen Sie Web Cloud → Domain names → Ihre Domain → DNS zone → Add an entry.',
      other: 'Suchen Sie in den Einstellungen Ihrer Domain nach „DNS“, „Zone“ oder „Advanced DNS“.',
    },
    relative: (name, zone) =>
      `Geben Sie den kurzen Namen ein, zum Beispiel ${name}. Der Anbieter ergänzt ${zone} selbst. @ steht für die Domain.`,
    full: (name) =>
      `Der Anbieter zeigt Ihre Domain am Ende des Namensfelds. Geben Sie nur den Teil davor ein, sodass der ganze Name zum Beispiel ${name} lautet. Für @ bleibt das Feld leer.`,
    quotes:
      'Setzen Sie die Werte von TXT-Einträgen in Anführungszeichen. Teilen Sie Werte mit mehr als 255 Zeichen, wie den DKIM-Schlüssel, in zwei Teile in Anführungszeichen, wie in der Zonendatei.',
    proxy: 'Lassen Sie den Proxy für den Hostnamen dieses Servers ausgeschaltet („DNS only“).',
    imports: {
      cloudflare: 'Oder importieren Sie die Zonendatei: DNS → Records → Import and Export.',
      route53: 'Oder importieren Sie die Zonendatei in eine neue Hosted zone: Import zone file.',
      godaddy: 'Oder importieren Sie die Zonendatei: DNS → Actions → Import Zone File.',
      hetzner: 'Oder fügen Sie die Zeilen der Zonendatei ein: Zone → Import.',
      ovh: 'Oder fügen Sie die Zeilen der Zonendatei ein: DNS zone → Change in text format.',
    },
  },
  copyValue: 'Wert kopieren',
  found: 'Gefunden:',
  foundNothing: 'Kein Eintrag mit diesem Namen gefunden.',
  key: 'DKIM-Schlüssel',
  keyLead:
    'Signiert jede E-Mail dieser Domain. Ersetzen Sie ihn einmal im Jahr, oder wenn jemand ihn gesehen haben könnte.',
  signsWith: (selector) => `E-Mails werden mit dem Schlüssel ${selector} signiert.`,
  nextKey: (selector) =>
    `Der neue Schlüssel ${selector} ist bereit. Legen Sie seinen DNS-Eintrag an, der unter „Empfohlen“ steht. Der neue Schlüssel gilt, sobald der Eintrag gefunden wird.`,
  retiredKey: (selector) =>
    `Behalten Sie den DNS-Eintrag des vorigen Schlüssels ${selector}, bis er von dieser Seite verschwindet. E-Mails, die noch zugestellt werden, sind mit ihm signiert.`,
  rotate: 'Schlüssel wechseln',
  rotated: 'Neuer Schlüssel erstellt. Legen Sie seinen DNS-Eintrag an.',
  tracking: 'Messung',
  trackingLead:
    'Normalerweise ausgeschaltet. Die Messung verändert den Inhalt Ihrer E-Mails, und ihre Zahlen sind nur Schätzungen.',
  clickTracking: 'Klicks messen',
  clickTrackingHint: 'Links werden über diesen Server geleitet.',
  openTracking: 'Öffnungen messen',
  openTrackingHint:
    'Fügt ein unsichtbares Bild ein. Manche E-Mail-Apps laden es auch, wenn niemand die E-Mail öffnet.',
  delete: 'Domain löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    'Von dieser Domain kann dann nicht mehr gesendet werden, und ihre Postfächer empfangen keine E-Mails mehr. Ihr DKIM-Schlüssel wird endgültig gelöscht. Wenn Sie die Domain wieder hinzufügen, erhält sie einen neuen Schlüssel.',
  deleted: 'Domain gelöscht',
  memberNote: 'Nur Inhaber und Admins können Domains hinzufügen, verifizieren, ändern oder löschen.',
  noPublicHost: (host) =>
    `Diese Einträge verwenden ${host}, und das ist kein öffentlicher Hostname. Setzen Sie MAIL_HOST auf den öffentlichen Namen dieses Servers und starten Sie Posthorn neu.`,
  testNote: 'Solange die Sandbox eingeschaltet ist, werden Namen, die auf .test enden, ohne DNS verifiziert.',
};
