import type { Tone } from '../../ui/badge.tsx';

export const STATUSES = ['2xx', '4xx', '5xx'] as const;
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface RequestFilter {
  status?: (typeof STATUSES)[number] | undefined;
  method?: (typeof METHODS)[number] | undefined;
  path?: string | undefined;
  keyId?: string | undefined;
  requestId?: string | undefined;
}

/** Reads the filter from the address of the page. */
export function readRequestFilter(search: Record<string, unknown>): RequestFilter {
  return {
    status: STATUSES.find((status) => status === search.status),
    method: METHODS.find((method) => method === search.method),
    path: textOf(search.path),
    keyId: textOf(search.keyId),
    requestId: textOf(search.requestId),
  };
}

export function toneOfStatus(status: number): Tone {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
