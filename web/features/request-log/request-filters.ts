import type { Tone } from '../../ui/badge.tsx';

export const STATUSES = ['2xx', '4xx', '5xx'] as const;
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface RequestFilter {
  status?: (typeof STATUSES)[number];
  method?: (typeof METHODS)[number];
  path?: string;
  keyId?: string;
  requestId?: string;
}

/** Reads the filter from the address of the page. */
export function readRequestFilter(search: Record<string, unknown>): RequestFilter {
  const textOf = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  const filter = {
    status: STATUSES.find((status) => status === search.status),
    method: METHODS.find((method) => method === search.method),
    path: textOf(search.path),
    keyId: textOf(search.keyId),
    requestId: textOf(search.requestId),
  };
  return filter as RequestFilter;
}

export function toneOfStatus(status: number): Tone {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}
