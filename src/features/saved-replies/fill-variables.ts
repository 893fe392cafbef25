import { escapeHtml } from '../../mail/html-entities.ts';

export interface VariableValues {
  contact: { firstName: string | null; lastName: string | null; email: string };
  mailbox: { name: string | null; address: string };
}

const VARIABLE =
  /\{\{\s*(contact\.firstName|contact\.lastName|contact\.email|mailbox\.name|mailbox\.address)\s*(?:,\s*fallback\s*=([^{}]*))?\}\}/g;

/**
 * `{{contact.firstName}}`, or `{{contact.firstName,fallback=friend}}` for when there is none, in HTML that was
 * cleaned: the fallback is part of it, values are escaped. A mailbox without a name goes by its address. Anything else
 * in braces stays as it is written.
 */
export function fillVariables(html: string, { contact, mailbox }: VariableValues): string {
  const values = new Map([
    ['contact.firstName', contact.firstName],
    ['contact.lastName', contact.lastName],
    ['contact.email', contact.email],
    ['mailbox.name', mailbox.name || mailbox.address],
    ['mailbox.address', mailbox.address],
  ]);
  return html.replaceAll(VARIABLE, (_whole, name: string, fallback?: string) => {
    const value = values.get(name);
    return value ? escapeHtml(value) : (fallback ?? '').trim();
  });
}
