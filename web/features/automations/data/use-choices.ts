/** What the steps of an automation can refer to, and what new emails are sent from. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Segment } from '../../../../src/features/audience/segments/segments.schema.ts';
import type { Topic } from '../../../../src/features/audience/topics/topics.schema.ts';
import type { TemplateListItem } from '../../../../src/features/content/templates/templates.schema.ts';
import { brandQuery } from '../../../api/brand.ts';
import { mailboxesQuery } from '../../../api/mailboxes.ts';
import { getAll } from '../../../api/pages.ts';
import { contactBookQuery } from '../../contact-books/contact-books-api.ts';
import { domainsQuery } from '../../domains/domains-api.ts';
import { useSession } from '../../people/session.ts';
import type { Names } from '../words/describe-step.ts';

export type Choices = ReturnType<typeof useChoices>;

export function useChoices(contactBookId: string) {
  const { data: book } = useQuery({ ...contactBookQuery(contactBookId), enabled: contactBookId !== '' });
  const { data: templates = [] } = useQuery({
    queryKey: ['templates', 'list', 'all'],
    queryFn: () => getAll<TemplateListItem>('/templates'),
  });
  const { data: topics = [] } = useQuery({
    queryKey: ['topics', 'all'],
    queryFn: () => getAll<Topic>('/topics'),
  });
  const { data: segments = [] } = useQuery({
    queryKey: ['segments', 'of-book', contactBookId],
    queryFn: () => getAll<Segment>('/segments', { contactBookId }),
    enabled: contactBookId !== '',
  });
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const names: Names = useMemo(
    () =>
      new Map([
        ...[...templates, ...topics, ...segments].map(({ id, name }) => [id, name] as const),
        ...mailboxes.map(({ id, address }) => [id, address] as const),
      ]),
    [templates, topics, segments, mailboxes],
  );
  return { book, templates, topics, segments, mailboxes, names };
}

/** The sender of new emails. */
export function useSender() {
  const { team } = useSession();
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: mailboxes = [] } = useQuery(mailboxesQuery);
  const { data: brand } = useQuery(brandQuery);
  const verified = domains.find(({ status }) => status === 'SUCCESS')?.name;
  return {
    from: verified === undefined ? null : `${team.name} <news@${verified}>`,
    mailboxId: mailboxes[0]?.id ?? null,
    brand,
  };
}
