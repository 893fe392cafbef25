import { expect, test } from 'vitest';
import { readDatabaseUrl } from './database-hosts.ts';

test('a URL with one host is left as it is', () => {
  for (const url of [
    'postgresql://u:p@db/posthorn',
    'postgres://u:p@[::1]:5433/posthorn?sslmode=require',
    'postgresql://u:p@localhost/posthorn?host=%2Frun%2Fpostgres&port=5432',
    'postgresql:///posthorn',
  ]) {
    expect(readDatabaseUrl(url), url).toEqual({ connectionString: url, hosts: null });
  }
});

test.each([
  ['postgresql://u:p@a:1,b:2/d', ['a:1', 'b:2']],
  ['postgresql://u:p@a,b/d', ['a:5432', 'b:5432']],
  ['postgresql://u:p@[::1]:1,10.0.0.2:2/d', ['::1:1', '10.0.0.2:2']],
  ['postgresql://u:p@/d?host=a,b&port=7', ['a:7', 'b:7']],
  ['postgresql://u:p@/d?host=%2Frun%2Fa,%2Frun%2Fb&port=1,2', ['/run/a:1', '/run/b:2']],
  ['postgresql://u:p@a/d?target_session_attrs=primary', ['a:5432']],
])('the hosts of %s', (url, expected) => {
  const { connectionString, hosts } = readDatabaseUrl(`${url}${url.includes('?') ? '&' : '?'}x=y`);
  expect(hosts!.map(({ host, port }) => `${host}:${port}`)).toEqual(expected);
  const { username, pathname, searchParams } = new URL(connectionString);
  expect([username, pathname, searchParams.get('x')]).toEqual(['u', '/d', 'y']);
  expect(searchParams.has('target_session_attrs')).toBe(false);
});

test.each([
  'mysql://u:p@a/d',
  'not a url',
  'postgresql://u:p@a,/d',
  'postgresql://u:p@a:1,b:x/d',
  'postgresql://u:p@a:1,b:99999/d',
  'postgresql://u:p@/d?host=a,b,c&port=1,2',
  'postgresql://u:p@a,b/d?target_session_attrs=standby',
  `postgresql://u:p@${Array.from({ length: 17 }, (_, at) => `h${at}`).join(',')}/d`,
])('%s is refused, and the message does not show it', (url) => {
  expect(() => readDatabaseUrl(url)).toThrow(/^(must|has) (?!.*:p@)/);
});
