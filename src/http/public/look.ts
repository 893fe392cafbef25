/**
 * The look of a public page: the brand of its team, or Posthorn's own. Unreadable colours of the brand are moved
 * towards black or white until they are readable.
 */
import type { Brand } from '../../features/content/brand/brand.schema.ts';
import { getBrand } from '../../features/content/brand/brand.ts';
import { FONTS } from '../../mail/html/editor/editor-frame.ts';
import type { Db } from '../../platform/database/database.ts';
import { contrastOf, DARK, isDark, LIGHT, makeReadable, mix, readableOn } from './colors.ts';

export interface Look {
  /** Style sheets that follow the one of all pages. */
  styles: string[];
  logo: Logo | null;
  /** The postal address of the sender. The other footer text of the brand concerns emails, not pages. */
  address: string | null;
}

interface Logo {
  url: string;
  /** For the content security policy. */
  origin: string;
}

export const PLAIN: Look = { styles: [], logo: null, address: null };

/** The cards of the default look, light and dark (page-style.ts). */
const CARDS = { light: '#f5f3ee', dark: '#1e2024' };
// A host may contain characters that would end a source in the policy.
const SAFE_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

const LOGO_STYLE = `
.logo { display: block; max-width: min(14rem, 100%); max-height: 4rem; margin: 0 0 1.25rem; }
`;

export async function findLook(db: Db, teamId: number): Promise<Look> {
  return lookOf(await getBrand(db, teamId));
}

function lookOf(brand: Brand): Look {
  const logo = brand.logoUrl === null ? null : readLogo(brand.logoUrl);
  const own = [renderColors(brand), renderFont(brand), logo === null ? '' : LOGO_STYLE];
  return { styles: own.filter((style) => style !== ''), logo, address: brand.postalAddress || null };
}

function readLogo(url: string): Logo | null {
  const { href, origin } = new URL(url);
  return SAFE_ORIGIN.test(origin) ? { url: href, origin } : null;
}

function renderFont({ fontFamily }: Brand): string {
  const font = fontFamily === null ? undefined : FONTS.get(fontFamily);
  return font === undefined ? '' : `body { font-family: ${font}; }\n`;
}

function renderColors(brand: Brand): string {
  const { backgroundColor, contentColor, textColor } = brand;
  if (!backgroundColor && !contentColor && !textColor) return renderAccents(brand);
  const page = backgroundColor ?? contentColor ?? (isDark(textColor!) ? LIGHT : DARK);
  const card = contentColor ?? page;
  const ink = makeReadable(textColor ?? readableOn(card), card);
  const [scheme, problem] = isDark(card) ? ['dark', '#f7aca4'] : ['light', '#9c2820'];
  return `:root { color-scheme: ${scheme}; --paper: ${page}; --panel: ${card}; --field: ${card}; --ink: ${ink};
  --soft: ${makeReadable(mix(ink, card, 0.25), card)}; --line: ${mix(card, ink, 0.18)};
  --brass: ${makeReadable(brand.linkColor ?? ink, card)}; --delete: ${makeReadable(problem, card)}; }
${renderButton(brand.buttonColor, card)}`;
}

/** A brand with only a link or button colour keeps the light and dark mode of the visitor. */
function renderAccents({ linkColor, buttonColor }: Brand): string {
  const links =
    linkColor === null
      ? ''
      : `:root { --brass: ${makeReadable(linkColor, CARDS.light)}; }
@media (prefers-color-scheme: dark) { :root { --brass: ${makeReadable(linkColor, CARDS.dark)}; } }
`;
  return links + renderButton(buttonColor, null);
}

function renderButton(color: string | null, card: string | null): string {
  if (color === null) return '';
  // A button in the colour of its card gets a border.
  const edge = card !== null && contrastOf(color, card) < 1.5 ? ' border-color: var(--soft);' : '';
  return `:root { --horn: ${color}; }\nbutton:not(.second) { color: ${readableOn(color)};${edge} }\n`;
}
