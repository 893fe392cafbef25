import { queryOptions } from '@tanstack/react-query';
import type { ContactBook } from '../../../src/features/audience/contact-books/contact-books.schema.ts';
import { getJson } from '../../api/client.ts';

export const contactBooksQuery = queryOptions({
  queryKey: ['contact-books'],
  queryFn: () => getJson<ContactBook[]>('/contactBooks'),
});

export function contactBookQuery(id: string) {
  return queryOptions({
    queryKey: ['contact-books', id],
    queryFn: () => getJson<ContactBook>(`/contactBooks/${id}`),
  });
}
