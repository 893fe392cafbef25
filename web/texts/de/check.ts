import type { checkTexts as English, FindingCode } from '../en/check.ts';
import { number, plural } from './number.ts';

/** Codes without a sentence have one from the server, which names what is wrong. */
const FINDINGS: Partial<Record<FindingCode, string>> = {
  no_recipients:
    'Niemand würde diese Kampagne jetzt erhalten. Wählen Sie eine andere Kontaktliste, ein anderes Segment oder Thema.',
  no_content: 'Der Inhalt ist leer. Schreiben Sie etwas oder wählen Sie eine Vorlage.',
  unknown_tags:
    'Für diese Platzhalter hat kein Kontakt einen Wert. Korrigieren Sie sie, nehmen Sie sie in die Variablen der Kontaktliste auf oder geben Sie einen Ersatztext an.',
  foreign_tags:
    'Platzhalter anderer Produkte bleiben als Text in der E-Mail stehen. Verwenden Sie Platzhalter wie {{firstName,fallback=zusammen}} und {{unsubscribeUrl}}.',
  missing_translations:
    'Einige Kontakte haben eine Sprache ohne Übersetzung. Sie erhalten den Standardinhalt.',
  broken_links: 'Links oder Bilder sind nicht erreichbar. Korrigieren oder entfernen Sie sie.',
  doubtful_links:
    'Links konnten nicht geprüft werden, weil ein Server ausgelastet war oder automatische Anfragen abweist. Öffnen Sie sie zur Sicherheit selbst.',
  unchecked_links:
    'Für einige Links oder Bilder reichte die Zeit nicht, weil andere Server zu langsam waren. Öffnen Sie sie zur Sicherheit selbst.',
  unusable_links: 'Links funktionieren in einer E-Mail nicht. Sie müssen mit https:// beginnen.',
  sample_links:
    'Links führen noch zu example.com, wie in der Startvorlage. Setzen Sie Ihre eigene Adresse ein.',
  insecure_links:
    'Links oder Bilder verwenden http statt https. Browser warnen vor solchen Seiten, und manche E-Mail-Apps zeigen solche Bilder nicht.',
  untracked_links:
    'Klicks auf diese Links werden nicht gezählt, wegen Platzhaltern in der Adresse oder einer Einstellung des Links.',
  links_left_out: 'Nur die ersten 50 Links und Bilder wurden geprüft.',
  images_without_text:
    'Bilder haben keinen Alternativtext. Wer Bilder nicht sieht, erfährt nicht, was sie zeigen.',
  unsupported_html:
    'E-Mail-Apps entfernen Skripte, Formulare, Videos und andere aktive Inhalte. Entfernen Sie sie oder verlinken Sie eine Seite, die sie enthält.',
  unsupported_css:
    'Manche E-Mail-Apps ignorieren Teile des CSS. Verwenden Sie Tabellen für das Layout und senden Sie sich einen Test.',
  large_style_sheet:
    'Gmail ignoriert Stylesheets nach den ersten 16 kB, und ein Stylesheet mit einer URL ganz, samt den Regeln für Telefone.',
  too_large:
    'Die E-Mail ist größer als 102 kB. Gmail schneidet sie ab und verbirgt den Rest, auch den Link zum Abmelden.',
  nearly_too_large: 'Die E-Mail ist fast 102 kB groß. Größere E-Mails schneidet Gmail ab.',
  long_subject: 'Der Betreff ist lang. Posteingänge zeigen etwa 70 Zeichen, Telefone etwa 40.',
  no_preview_text:
    'Es gibt keinen Vorschautext. Posteingänge zeigen stattdessen die ersten Wörter der E-Mail.',
  no_unsubscribe_link:
    'Der Inhalt hat keinen Link zum Abmelden. Deshalb kommt ein schlichter ans Ende. Für einen eigenen Stil fügen Sie eine Fußzeile ein.',
  no_postal_address:
    'Es gibt keine Postanschrift. In vielen Ländern ist sie in Newslettern Pflicht. Ergänzen Sie sie in einer Fußzeile.',
  test_not_tracked:
    'Was den A/B-Test entscheidet, wird nicht gemessen. Deshalb würde die erste Variante gewinnen. Schalten Sie die Messung für die Domain ein oder wählen Sie den Gewinner selbst.',
  not_tracked:
    'Öffnungen und Klicks werden nicht gemessen und fehlen deshalb im Bericht. Schalten Sie dafür die Messung für die Absenderdomain ein.',
  not_aligned:
    'E-Mails dieser Absenderdomain bestehen DMARC nicht oder nur, wenn das Relay sie signiert. Viele Anbieter behandeln sie sonst als Spam. Prüfen Sie die Einträge für DKIM und SPF.',
  no_dmarc_record:
    'Die Absenderdomain hat keinen DMARC-Eintrag. Gmail und Yahoo verlangen ihn von Newslettern. Ergänzen Sie den Eintrag, den die Seite der Domain zeigt.',
  listed_links:
    'Domains von Links stehen auf einer Sperrliste. Spamfilter halten die E-Mail deshalb für Spam. Entfernen Sie die Links oder bitten Sie die Liste, die Domain zu streichen.',
  mostly_images:
    'Die E-Mail hat Bilder und kaum Text. Spamfilter misstrauen solchen E-Mails, und viele Personen sehen keine Bilder. Schreiben Sie, was die Bilder zeigen.',
  no_one_click:
    'Gmail und Yahoo verlangen von Newslettern das Abmelden mit einem Klick. Sie bieten es nur an, wenn BASE_URL mit https beginnt und erreichbar ist.',
};

export const checkTexts: typeof English = {
  finding: (code, message) => FINDINGS[code] ?? message,
  title: 'Vor dem Senden',
  running: 'Wird geprüft …',
  failed: 'Die Prüfung konnte nicht abgeschlossen werden. Sie können die Kampagne trotzdem senden.',
  asking: (count) =>
    plural(count, {
      one: 'Es wird geprüft, ob 1 Link funktioniert …',
      other: `Es wird geprüft, ob ${number(count)} Links funktionieren …`,
    }),
  linksWork: (count) =>
    plural(count, {
      one: '1 Link oder Bild funktioniert',
      other: `${number(count)} Links und Bilder funktionieren`,
    }),
  size: (kilobytes) => `${number(kilobytes)} kB. Gmail schneidet E-Mails bei 102 kB ab`,
  aligned: (domain) => `E-Mails von ${domain} bestehen DMARC`,
  spam: (score: number, from: number) =>
    `Ein Spamfilter gibt der E-Mail ${number(score)} Punkte. Ab ${number(from)} gilt sie als Spam`,
  oneClick: 'Empfänger können sich mit einem Klick abmelden',
  levels: { blocks: 'Muss behoben werden', warning: 'Warnung', advice: 'Hinweis' },
  variants: (names) =>
    names.length === 1
      ? `Variante ${names[0]}: `
      : `Varianten ${names.slice(0, -1).join(', ')} und ${names.at(-1)}: `,
  people: (count) => plural(count, { one: '1 Empfänger', other: `${number(count)} Empfänger` }),
  ofContacts: (count) => `von ${plural(count, { one: '1 Kontakt', other: `${number(count)} Kontakten` })}`,
  who: 'Wer sie erhält und wer nicht',
  inBook: (name, recipients, contacts) => `${name}: ${number(recipients)} von ${number(contacts)}`,
  inSegment: (name, contacts) => `Im Segment ${name}: ${number(contacts)}`,
  inTopic: (name, contacts) => `Haben das Thema ${name} abonniert: ${number(contacts)}`,
  leftOut: {
    unsubscribed: 'Abgemeldet',
    unconfirmed: 'Noch nicht bestätigt',
    suppressed: 'Gesperrt',
    not_in_segment: 'Nicht im Segment',
    in_excluded_segment: 'In einem ausgeschlossenen Segment',
    not_in_topic: 'Thema nicht abonniert',
    excluded_by_campaign: 'Durch die frühere Kampagne ausgeschlossen',
    duplicate: 'Auch in einer anderen Kontaktliste',
  },
  places: (count) => plural(count, { one: 'Zeigen', other: `Alle ${number(count)} zeigen` }),
};
