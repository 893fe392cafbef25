import type { OwnValues } from '../../../src/features/audience/own-fields/own-fields.ts';

/** The name of a contact as one text. Empty if the contact has none. */
export function fullName({ firstName, lastName }: Pick<OwnValues, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
