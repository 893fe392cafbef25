/** A draft that saves itself a moment after the last change, and says when something is wrong. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { ApiError, sendJson } from '../../api/client.ts';

const SAVE_AFTER_MS = 800;

interface DraftFields {
  name: string;
  subject: string;
  from: string;
  previewText: string;
  replyTo: string;
  contactBookId: string;
  segmentId: string;
  topicId: string;
  content: string | null;
  html: string;
}

export interface Draft {
  fields: DraftFields;
  state: 'saved' | 'changed' | 'saving';
  error: unknown;
  errorOf(name: string): string | undefined;
  change(part: Partial<DraftFields>): void;
  /** What is not saved yet is saved now; throws when that fails. */
  settle(): Promise<void>;
}

export function useDraft(campaign: Campaign): Draft {
  const queryClient = useQueryClient();
  const [fields, setFields] = useState(() => fieldsOf(campaign));
  const [state, setState] = useState<Draft['state']>('saved');
  const [error, setError] = useState<unknown>(null);
  const current = useRef(fields);
  const saved = useRef(fields);

  const settle = useCallback(async () => {
    const sending = current.current;
    if (sending === saved.current) return;
    setState('saving');
    try {
      const answer = await sendJson<Campaign>('PATCH', `/campaigns/${campaign.id}`, toInput(sending));
      saved.current = sending;
      queryClient.setQueryData(['campaigns', 'one', campaign.id], answer);
      setError(null);
      setState(current.current === sending ? 'saved' : 'changed');
    } catch (thrown) {
      setError(thrown);
      setState('changed');
      throw thrown;
    }
  }, [campaign.id, queryClient]);

  useEffect(() => {
    if (state !== 'changed') return;
    const timer = window.setTimeout(() => void settle().catch(() => null), SAVE_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [state, fields, settle]);

  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (current.current !== saved.current) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      void settle().catch(() => null);
    };
  }, [settle]);

  const change = useCallback((part: Partial<DraftFields>) => {
    const before = current.current;
    const names = Object.keys(part) as (keyof DraftFields)[];
    if (names.every((name) => before[name] === part[name])) return;
    current.current = { ...before, ...part };
    setFields(current.current);
    setState('changed');
  }, []);

  const issues = error instanceof ApiError ? error.issues : [];
  return {
    fields,
    state,
    error,
    errorOf: (name) => issues.find(({ path }) => path.startsWith(`/${name}`))?.message,
    change,
    settle,
  };
}

function fieldsOf(campaign: Campaign): DraftFields {
  return {
    name: campaign.name,
    subject: campaign.subject,
    from: campaign.from,
    previewText: campaign.previewText ?? '',
    replyTo: campaign.replyTo.join(', '),
    contactBookId: campaign.contactBookId ?? '',
    segmentId: campaign.segmentId ?? '',
    topicId: campaign.topicId ?? '',
    content: campaign.content,
    html: campaign.html ?? '',
  };
}

function toInput(fields: DraftFields): object {
  const replyTo = fields.replyTo
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  return {
    name: fields.name,
    subject: fields.subject,
    from: fields.from,
    previewText: fields.previewText || null,
    replyTo: replyTo.length > 0 ? replyTo : null,
    contactBookId: fields.contactBookId,
    segmentId: fields.segmentId || null,
    topicId: fields.topicId || null,
    ...(fields.content === null ? { html: fields.html } : { content: fields.content }),
  };
}
