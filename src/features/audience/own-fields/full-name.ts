/** The web app imports this file on every page, so it may import nothing but types. */
import type { OwnValues } from './own-fields.ts';

/** The name of a contact as one text. Empty if the contact has none. */
export function fullName({ firstName, lastName }: Pick<OwnValues, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}
