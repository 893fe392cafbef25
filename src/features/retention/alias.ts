/** The address that replaces an erased person's. It is random, so that it cannot be traced back. */
import { newUuid } from '../../platform/ids.ts';

export function newAlias(): string {
  return `erased-${newUuid().replaceAll('-', '')}@erased.invalid`;
}

/** A pattern for LIKE. */
export const ANY_ALIAS = 'erased-%@erased.invalid';
