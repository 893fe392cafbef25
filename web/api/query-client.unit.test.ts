import { QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { queryClient, refresh } from './query-client.ts';

afterEach(() => queryClient.clear());

test('a change while the first answer is on its way is fetched afterwards', async () => {
  const answer: ((text: string) => void)[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey: ['list'],
    queryFn: () => new Promise<string>((resolve) => answer.push(resolve)),
  });
  const end = observer.subscribe(() => undefined);
  const refreshed = refresh('list');
  answer[0]!('before the change');
  await expect.poll(() => answer.length).toBe(2);
  answer[1]!('after the change');
  await refreshed;
  expect(observer.getCurrentResult().data).toBe('after the change');
  end();
});
