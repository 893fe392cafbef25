/** The names that variables of a contact book can have. The web app imports this file by way of column-names.ts. */
import { propertyKey } from '../../../mail/html/tag-names.ts';

export const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const RESERVED_NAMES = ['email', 'firstname', 'lastname'];

export function isVariableName(name: string): boolean {
  return VARIABLE_NAME.test(name) && !isBuiltIn(name);
}

/** Whether every contact has a field of this name. */
export function isBuiltIn(name: string): boolean {
  return RESERVED_NAMES.includes(propertyKey(name));
}
