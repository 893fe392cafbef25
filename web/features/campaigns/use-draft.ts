/** A draft that saves itself, and says when something is wrong. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { sentence } from '../../ui/form.tsx';
import type { DraftFields, FieldName } from './draft-fields.ts';
import { DraftSaver, type DraftView } from './draft-saver.ts';

export interface Draft extends DraftView {
  errorOf(name: FieldName): string | undefined;
  change(part: Partial<DraftFields>): void;
  /** What is not saved yet is saved now; throws when that fails. */
  settle(): Promise<void>;
}

export function useDraft(campaign: Campaign): Draft {
  const queryClient = useQueryClient();
  const [saver] = useState(
    () =>
      new DraftSaver(campaign, (saved) => queryClient.setQueryData(['campaigns', 'one', saved.id], saved)),
  );
  const view = useSyncExternalStore(saver.subscribe, saver.view);
  useEffect(() => saver.takeOver(campaign), [saver, campaign]);
  return {
    ...view,
    errorOf: (name) => (view.refused.has(name) ? problemOf(name, view.refused.get(name)) : undefined),
    change: saver.change,
    settle: saver.settle,
  };
}

function problemOf(name: FieldName, error: unknown): string {
  const issues = error instanceof ApiError ? error.issues : [];
  const issue = issues.find(({ path }) => path.startsWith(`/${name}`));
  return sentence(issue?.message ?? describeError(error));
}
