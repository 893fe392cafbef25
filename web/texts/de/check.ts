import type { checkTexts as English } from '../en/check.ts';
import { number, plural } from './number.ts';

export const checkTexts: typeof English = {
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
