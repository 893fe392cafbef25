import { expect, test } from 'vitest';
import { classifyBounce } from './classify-bounce.ts';

test.each([
  ['failed', '5.1.1', '550 5.1.1 User unknown', 'bounced recipient suppress'],
  ['failed', '5.1.1', null, 'bounced recipient suppress'],
  ['failed', '5.1.2', 'Host not found', 'bounced recipient suppress'],
  [
    'failed',
    '5.0.0',
    '550-5.1.1 The email account that you tried to reach 550 5.1.1 does not exist',
    'bounced recipient suppress',
  ],
  ['failed', '5.0.0', '550-5.1.1 cut off', 'bounced recipient suppress'],
  ['failed', null, '550 No such user here', 'bounced recipient suppress'],
  ['failed', '5.1.1', '550 5.7.1 Blocked', 'bounced sender'],
  ['failed', '5.7.1', '550 5.1.1 User unknown', 'bounced recipient'],
  ['failed', '5.1.1', '552 5.2.2 Full', 'bounced recipient'],
  ['failed', '5.2.2', '552 5.2.2 Full', 'bounced recipient'],
  ['failed', '5.7.1', 'No such user', 'bounced sender'],
  ['failed', '4.4.7', '451 4.4.7 No such user', 'bounced server'],
  ['failed', null, '450 No such user', 'bounced recipient'],
  ['failed', '4.4.7', null, 'bounced server'],
  ['failed', '5.0.0', '421 4.7.0 Too many', 'bounced sender'],
  ['failed', null, null, 'bounced recipient'],
  ['delayed', '4.4.1', 'No answer', 'deferred server'],
  ['delayed', '4.1.1', '450 4.1.1 User unknown', 'deferred recipient'],
  ['delayed', '5.1.1', '550 5.1.1 User unknown', 'deferred recipient'],
  ['delivered', '2.0.0', null, 'accepted'],
  ['relayed', '2.0.0', '250 ok', 'accepted'],
  ['expanded', null, null, 'accepted'],
] as const)('%s %s %j is %s', (action, status, diagnostic, expected) => {
  const { outcome, fault, scope, suppress } = classifyBounce({
    recipient: 'bob@example.org',
    action,
    status,
    diagnostic,
  });
  expect([outcome, fault ?? '', suppress ? 'suppress' : ''].join(' ').trim()).toBe(expected);
  expect(scope).toBe('recipient');
});
