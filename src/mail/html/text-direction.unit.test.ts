import { expect, test } from 'vitest';
import { directionOfLanguage, directionOfText, isolate } from './text-direction.ts';

test('a language has the direction of its script', () => {
  for (const tag of [
    'ar',
    'ar-EG',
    'he',
    'iw',
    'fa-IR',
    'ur',
    'ps',
    'yi',
    'dv',
    'ckb',
    'sd',
    'ug',
    'az-Arab',
    'AR',
  ])
    expect([tag, directionOfLanguage(tag)]).toEqual([tag, 'rtl']);
  for (const tag of ['en', 'de-AT', 'az', 'ja', 'ru', 'ku', '', 'not a tag', 'x'])
    expect([tag, directionOfLanguage(tag)]).toEqual([tag, 'ltr']);
});

test('a text has the direction of its first letter', () => {
  expect(directionOfText('«123» أخبار Oslo')).toBe('rtl');
  expect(directionOfText('Oslo أخبار')).toBe('ltr');
  expect(directionOfText('10 % 😀')).toBeNull();
});

test('only a name from right to left is kept together', () => {
  expect(isolate('חדשות (1)')).toBe('\u2068חדשות (1)\u2069');
  expect(isolate('News')).toBe('News');
});
