import { expect, test } from 'vitest';
import type { Contact } from '../../../src/features/audience/contacts/contacts.schema.ts';
import { toInput, valuesOf } from './contact-input.ts';

const BOOK = { variables: ['city', 'plan'] };
const ADA = {
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: null,
  subscribed: false,
  properties: { city: 'London', visits: 3 },
} as unknown as Contact;

test('the form shows the variables of the book, then the other properties of the contact', () => {
  expect(valuesOf(BOOK, ADA).properties).toEqual([
    { name: 'city', value: 'London', fixed: true },
    { name: 'plan', value: '', fixed: true },
    { name: 'visits', value: '3', fixed: true },
  ]);
});

test('a form that nobody changed changes nothing', () => {
  expect(toInput(valuesOf(BOOK, ADA), ADA)).toEqual({
    firstName: 'Ada',
    lastName: null,
    properties: { city: 'London', visits: 3 },
  });
});

test('properties that are emptied or removed are sent as null, new ones as text', () => {
  const values = valuesOf(BOOK, ADA);
  const properties = [
    { name: 'city', value: '', fixed: true },
    { name: ' score ', value: '7', fixed: false },
    { name: '', value: 'lost', fixed: false },
  ];
  expect(toInput({ ...values, properties }, ADA).properties).toEqual({
    city: null,
    visits: null,
    score: '7',
  });
});

test('the subscription is sent only when it was changed', () => {
  expect(toInput({ ...valuesOf(BOOK, ADA), subscribed: true }, ADA)).toHaveProperty('subscribed', true);
  expect(toInput(valuesOf(BOOK, null), null)).not.toHaveProperty('subscribed');
  expect(toInput({ ...valuesOf(BOOK, null), subscribed: false }, null)).toHaveProperty('subscribed', false);
});

test('an empty name removes the name of a contact, and says nothing of a new one', () => {
  expect(toInput({ ...valuesOf(BOOK, ADA), firstName: ' ' }, ADA).firstName).toBeNull();
  expect(toInput(valuesOf(BOOK, null), null).firstName).toBeUndefined();
});
