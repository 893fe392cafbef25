import { expect, test } from 'vitest';
import { translatorOf } from './translate.ts';

const translate = translatorOf(
  {
    'Mail to {} arrives here.': 'E-Mails an {1} kommen hier an.',
    'The record of {} {}. Change it to {}.': 'Ändern Sie den Eintrag von {1} auf {3}: Er {2}.',
    'leads to {}': 'zeigt auf {1}',
    '{} messages': '{1} Nachrichten',
    'All done.': 'Alles fertig.',
  },
  (value) => new Intl.NumberFormat('de-DE').format(value),
);

test('values stand where the language wants them, and are translated if they are sentences themselves', () => {
  expect(translate('All done.')).toBe('Alles fertig.');
  expect(translate('Mail to shop.example arrives here.')).toBe('E-Mails an shop.example kommen hier an.');
  expect(translate('The record of a.example leads to b.example. Change it to c.example.')).toBe(
    'Ändern Sie den Eintrag von a.example auf c.example: Er zeigt auf b.example.',
  );
  expect(translate('1,209 messages')).toBe('1.209 Nachrichten');
});

test('other sentences stay as they are', () => {
  for (const sentence of ['', 'Mail to shop.example', 'Mail to  arrives there.', 'All done'])
    expect(translate(sentence)).toBe(sentence);
});
