/** The document of a new email, in the brand of the team. */
import type { Brand } from '../api/brand.ts';

const LOGO_WIDTH = 160;

type BrandFields = Omit<Brand, 'updatedAt'>;

/**
 * Returns a paragraph for each line, and an empty one to continue in, between the logo and the footer. Only campaigns
 * have a link to unsubscribe.
 */
export function firstDocument(text: string, brand?: BrandFields, unsubscribe = true): string {
  const paragraphs = text
    .split('\n')
    .map((line) => ({ type: 'paragraph', ...(line !== '' && { content: [{ type: 'text', text: line }] }) }));
  return documentInBrand([...paragraphs, { type: 'paragraph' }], brand, unsubscribe);
}

/** Returns these blocks between the logo and the footer. */
export function documentInBrand(blocks: object[], brand?: BrandFields, unsubscribe = true): string {
  const logo = brand?.logoUrl
    ? [{ type: 'image', attrs: { src: brand.logoUrl, alt: '', width: LOGO_WIDTH } }]
    : [];
  const footer = brand?.postalAddress || brand?.footerText ? [brandFooter(brand, unsubscribe)] : [];
  return JSON.stringify({
    type: 'doc',
    ...(brand && { attrs: brandAttributes(brand) }),
    content: [...logo, ...blocks, ...footer],
  });
}

export function brandFooter(brand: BrandFields | undefined, unsubscribe = true) {
  const { footerText, postalAddress } = brand ?? {};
  return { type: 'footer', attrs: { text: footerText ?? '', address: postalAddress ?? '', unsubscribe } };
}

function brandAttributes(brand: BrandFields) {
  const { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily } = brand;
  return { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily };
}
