import { expect, test } from 'vitest';
import { percentOf, toggleField, toInput, type FormValues } from './form-values.ts';

const email = { name: 'email', label: null, required: true };
const values: FormValues = {
  name: 'Home',
  contactBookId: 'cbk',
  fields: [
    email,
    { name: 'city', label: ' ', required: true },
    { name: 'street', label: 'Street', required: false },
  ],
  topicIds: [],
  texts: { title: ' Hello ', description: '', button: '', note: ' ', thankYouTitle: '', thankYou: '' },
  colors: { background: '#ffffff', text: '', button: '', buttonText: '' },
  redirectUrl: ' ',
  language: '',
};

test('empty texts are sent as null, and fields that the book does not have are left out', () => {
  expect(toInput(values, ['city'])).toMatchObject({
    fields: [email, { name: 'city', label: null, required: true }],
    texts: { title: 'Hello', description: null, note: null },
    colors: { background: '#ffffff', text: null },
    redirectUrl: null,
    language: null,
  });
});

test('a field is added in the order of the book, and removed again', () => {
  const order = ['email', 'firstName', 'city'];
  const more = toggleField(toggleField([email], 'city', order), 'firstName', order);
  expect(more.map(({ name }) => name)).toEqual(order);
  expect(toggleField(more, 'city', order).map(({ name }) => name)).toEqual(['email', 'firstName']);
});

test.each([
  [1, 4, '25%'],
  [0, 4, '0%'],
  [0, 0, null],
  [5, 4, null],
])('%i of %i is %s', (part, whole, text) => {
  expect(percentOf(part, whole)).toBe(text);
});
