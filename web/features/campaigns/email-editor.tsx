/** The editor of an email, with the merge tags of its contact book. */
import { useQuery } from '@tanstack/react-query';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import type { Draft } from './use-draft.ts';

interface EmailEditorProps {
  draft: Draft;
  /** Read only once. */
  content: string;
  onChange(content: string): void;
}

export function EmailEditor({ draft, content, onChange }: EmailEditorProps) {
  const { contactBookId } = draft.fields;
  const { data: book } = useQuery({ ...contactBookQuery(contactBookId), enabled: contactBookId !== '' });
  return (
    <LazyEditor
      key={draft.contentNo}
      content={content}
      variables={[...(book?.variables ?? []), 'unsubscribeUrl']}
      onChange={onChange}
    />
  );
}
