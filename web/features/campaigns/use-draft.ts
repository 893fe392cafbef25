/** A draft that saves itself, and reports errors. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { queryClient } from '../../api/query-client.ts';
import { sentence } from '../../ui/form.tsx';
import type { DraftFields, FieldName } from './draft-fields.ts';
import { DraftSaver, type DraftView } from './draft-saver.ts';

/** Every field except the content, which is a document. */
type TextName = Exclude<FieldName, 'content'>;

export interface Draft extends DraftView {
  /** The properties of a text or select field. */
  text(name: TextName): {
    value: string;
    error: string | undefined;
    onChange(event: { target: { value: string } }): void;
  };
  change(part: Partial<DraftFields>): void;
  /** Saves everything that is unsaved. Throws if that fails. */
  settle(): Promise<void>;
  /** The ways to end a conflict (draft-saver.ts). */
  keepMine(): Promise<void>;
  takeTheirs(): Promise<void>;
}

export function useDraft(campaign: Campaign): Draft {
  const [saver] = useState(
    () =>
      new DraftSaver(campaign, (saved) => queryClient.setQueryData(['campaigns', 'one', saved.id], saved)),
  );
  const view = useSyncExternalStore(saver.subscribe, saver.view);
  useEffect(() => saver.takeOver(campaign), [saver, campaign]);
  return {
    ...view,
    text: (name) => ({
      value: view.fields[name],
      error: view.refused.has(name) ? problemOf(name, view.refused.get(name)) : undefined,
      onChange: ({ target }) => saver.change({ [name]: target.value }),
    }),
    change: saver.change,
    settle: saver.settle,
    keepMine: saver.keepMine,
    takeTheirs: saver.takeTheirs,
  };
}

function problemOf(name: FieldName, error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  const issue = issues.find(({ path }) => path.startsWith(`/${name}`));
  return sentence(issue?.message ?? describeError(error));
}
