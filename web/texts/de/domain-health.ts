import type { healthTexts as English } from '../en/domain-health.ts';

/** The health of a domain and the settings of its hosts. */
export const healthTexts: typeof English = {
  title: 'Zustellbarkeit',
  lead: 'Alles, was darüber entscheidet, ob E-Mails dieser Domain ankommen.',
  looking: 'Einträge werden abgefragt. Das kann einige Sekunden dauern.',
  failed:
    'Der Zustand konnte nicht abgefragt werden. Laden Sie die Seite neu, um es noch einmal zu versuchen.',
  scores: { good: 'Gut', watch: 'Braucht Aufmerksamkeit', bad: 'Probleme' },
  statuses: { good: 'Gut', watch: 'Achtung', bad: 'Problem', off: 'Nicht verwendet', unknown: 'Unbekannt' },
  next: 'Als Nächstes:',
  nothing: 'Es gibt nichts zu tun.',
  all: (count) => `Alle ${count} Prüfungen`,
  found: 'Gefunden:',
  expected: 'Erwartet:',
  names: {
    spf: 'SPF',
    dkim: 'DKIM',
    dmarc: 'DMARC',
    return_path: 'Rückweg (Return-Path)',
    mx: 'Eingehende E-Mail (MX)',
    ehlo: 'Name des Servers',
    ptr: 'Reverse DNS',
    tls_certificate: 'Zertifikat',
    mta_sts: 'MTA-STS',
    tls_rpt: 'TLS-Berichte',
    bimi: 'Logo (BIMI)',
    blocklists: 'Sperrlisten',
    one_click: 'Abmelden mit einem Klick',
    link_host: 'Host für Links',
  },
  hosts: 'Links und Verschlüsselung',
  hostsLead:
    'Veröffentlichen Sie die Einträge, die dadurch unter „Empfohlen“ erscheinen, und verifizieren Sie dann die Domain.',
  subdomain: 'Subdomain für Links',
  subdomainHint: (name) =>
    `Links in E-Mails beginnen dann damit, zum Beispiel links.${name}. Leer: der Host dieses Servers.`,
  save: 'Speichern',
  saved: 'Einstellungen gespeichert',
  states: {
    NONE: 'Nicht verwendet',
    WAITING_DNS: 'Wartet auf DNS',
    CAA_BLOCKED: 'Durch CAA-Einträge verhindert',
    ISSUING: 'Zertifikat wird geholt',
    ACTIVE: 'In Gebrauch',
    BROKEN: 'Funktioniert nicht',
  },
  mtaSts: 'Verschlüsselung eingehender E-Mails (MTA-STS)',
  mtaStsHint:
    'Sagt anderen Servern, dass sie dieser Domain nur verschlüsselt zustellen sollen. Beginnen Sie mit dem Test.',
  mtaStsModes: { off: 'Aus', testing: 'Test', enforce: 'Erzwingen' },
  mtaStsAuto: 'Selbsttätig erzwingen',
  mtaStsAutoHint: 'Nach 14 Tagen mit Berichten ohne Fehler wird aus dem Test „Erzwingen“.',
};
