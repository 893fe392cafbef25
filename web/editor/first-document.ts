/** The document of a new message, in the brand of the team. */
import type { Brand } from '../api/brand.ts';

const LOGO_WIDTH = 160;

/**
 * A paragraph for each line, and an empty one to continue in, between the logo and the footer. Only campaigns have a
 * link to unsubscribe.
 */
export function firstDocument(text: string, brand?: Brand, unsubscribe = true): string {
  const paragraphs = text
    .split('\n')
    .map((line) => ({ type: 'paragraph', ...(line !== '' && { content: [{ type: 'text', text: line }] }) }));
  const logo = brand?.logoUrl
    ? [{ type: 'image', attrs: { src: brand.logoUrl, alt: '', width: LOGO_WIDTH } }]
    : [];
  const footer = brand?.postalAddress || brand?.footerText ? [brandFooter(brand, unsubscribe)] : [];
  return JSON.stringify({
    type: 'doc',
    ...(brand && { attrs: brandAttributes(brand) }),
    content: [...logo, ...paragraphs, { type: 'paragraph' }, ...footer],
  });
}

export function brandFooter(brand: Brand | undefined, unsubscribe = true) {
  const { footerText, postalAddress } = brand ?? {};
  return { type: 'footer', attrs: { text: footerText ?? '', address: postalAddress ?? '', unsubscribe } };
}

function brandAttributes(brand: Brand) {
  const { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily } = brand;
  return { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily };
}
