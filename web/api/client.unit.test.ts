import { expect, test } from 'vitest';
import { texts } from '../texts/en.ts';
import { apiUrl, toApiError } from './client.ts';
import { describeError } from './describe-error.ts';

test('an address leaves out what is not set', () => {
  const query = { limit: 100, cursor: null, search: '', status: undefined, subscribed: false, q: 'a&b' };
  expect(apiUrl('/contacts', query)).toBe('/api/v1/contacts?limit=100&subscribed=false&q=a%26b');
  expect(apiUrl('/contacts')).toBe('/api/v1/contacts');
});

test('errors are read in both forms', async () => {
  const issues = [{ path: '/name', message: 'must not be empty' }];
  const answer = { error: { code: 'BAD_REQUEST', message: 'Not valid.', issues } };
  expect(await toApiError(400, JSON.stringify(answer))).toMatchObject({ code: 'BAD_REQUEST', issues });
  expect(await toApiError(404, '{"error":"Not found."}')).toMatchObject({
    status: 404,
    message: 'Not found.',
  });
});

test('an error is described by the sentence of the server, or by one of ours', async () => {
  expect(describeError(await toApiError(404, '{"error":"Not found."}'))).toBe('Not found.');
  expect(describeError(await toApiError(502, '<html>'))).toBe(texts.errors.server);
  expect(describeError(await toApiError(418, ''))).toBe(texts.errors.unexpected);
  expect(describeError(new TypeError('x is undefined'))).toBe(texts.errors.unexpected);
});
