import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ContactTopic } from '../../../src/features/topics/topics.schema.ts';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { getAll } from '../../api/pages.ts';
import { texts } from '../../texts/en.ts';
import { CheckboxField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toasts.ts';

/** What a contact has chosen; each change is saved at once. Nothing is shown where there is no topic. */
export function ContactTopics({ bookId, contactId }: { bookId: string; contactId: string }) {
  const queryClient = useQueryClient();
  const path = `/contactBooks/${bookId}/contacts/${contactId}/topics`;
  const queryKey = ['topics', 'of', contactId];
  const { data } = useQuery({
    queryKey,
    queryFn: () => getAll<ContactTopic>(path),
  });

  async function change(id: string, subscribed: boolean): Promise<void> {
    try {
      await sendJson('PATCH', path, { topics: [{ id, subscribed }] });
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    await queryClient.invalidateQueries({ queryKey });
  }

  if (!data || data.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{texts.topics.title}</legend>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {data.map(({ id, name, subscribed }) => (
          <CheckboxField
            key={id}
            label={name}
            checked={subscribed}
            onChange={(event) => void change(id, event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}
