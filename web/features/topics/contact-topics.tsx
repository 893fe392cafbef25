import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ContactTopic } from '../../../src/features/audience/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { topicTexts } from '../../texts/en/audience.ts';
import { act } from '../../ui/act.ts';
import { CheckboxField } from '../../ui/field.tsx';

/** The topics of a contact. Each change is saved immediately. Shows nothing if there are no topics. */
export function ContactTopics({ bookId, contactId }: { bookId: string; contactId: string }) {
  const path = `/contactBooks/${bookId}/contacts/${contactId}/topics`;
  const queryKey = ['topics', 'of', contactId];
  // Shown until the list has the change. A response that is still in transit has the old state.
  const [changing, setChanging] = useState<Record<string, boolean>>({});
  const { data } = useQuery({
    queryKey,
    queryFn: () => getAll<ContactTopic>(path),
  });

  async function change(id: string, subscribed: boolean): Promise<void> {
    setChanging((before) => ({ ...before, [id]: subscribed }));
    await act(() => sendJson('PATCH', path, { topics: [{ id, subscribed }] }), { refreshes: queryKey });
    setChanging((before) => Object.fromEntries(Object.entries(before).filter(([topic]) => topic !== id)));
  }

  if (!data || data.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{topicTexts.title}</legend>
      <div className="grid grid-cols-1 gap-1.5 sm:grid-cols-2">
        {data.map(({ id, name, subscribed }) => (
          <CheckboxField
            key={id}
            label={name}
            checked={changing[id] ?? subscribed}
            onChange={(event) => void change(id, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
