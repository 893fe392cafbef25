/**
 * Addresses of links as people type them. The server drops links that begin with anything else (editor-attributes.ts).
 */
const LINK = /^(?:https?:\/\/|mailto:|tel:|\{\{)./i;
const PERSON = /^[^\s@/:]{1,64}@[^\s@/:]{3,255}$/;
const HOST = /^[\p{L}\p{N}][\p{L}\p{N}.-]{0,252}\.\p{L}[\p{L}\p{N}-]{1,62}(?::\d{1,5})?(?:[/?#]|$)/u;

/** Completes `shop.example/sale` and `ada@shop.example`. */
export function completeLink(typed: string): string {
  const address = typed.trim();
  if (LINK.test(address)) return address;
  if (PERSON.test(address) && address.includes('.', address.indexOf('@'))) return `mailto:${address}`;
  return HOST.test(address) ? `https://${address}` : address;
}

export function isLink(address: string): boolean {
  return LINK.test(address) && !/\s/.test(address.replaceAll(/\{\{[^{}]*\}\}/g, ''));
}
