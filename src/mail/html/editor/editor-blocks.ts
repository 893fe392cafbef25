/**
 * The blocks of an editor document that have no text inside: images, buttons, lines, links to social networks,
 * footers, HTML.
 */
import { cleanHtml } from '../clean-html.ts';
import {
  readAlignment,
  readColour,
  readImageSource,
  readLink,
  readPixels,
  readText,
  styled,
  toFields,
  type Fields,
} from './editor-attributes.ts';
import { isRightToLeft } from '../text-direction.ts';
import { LAYOUT, textOn } from './editor-frame.ts';
import type { Walk } from './editor-walk.ts';
import { escapeHtml } from '../entities.ts';

const MAX_HEIGHT = 5_000;
const MAX_NETWORKS = 12;
const SPACERS = new Map<unknown, number>([
  ['sm', 8],
  ['md', 16],
  ['lg', 32],
  ['xl', 64],
]);
/** The default of the editor, which does not write attributes with default values. */
const DEFAULT_SPACE = 32;
const NETWORKS = new Map<unknown, string>([
  ['website', 'Website'],
  ['facebook', 'Facebook'],
  ['instagram', 'Instagram'],
  ['x', 'X'],
  ['linkedin', 'LinkedIn'],
  ['youtube', 'YouTube'],
  ['tiktok', 'TikTok'],
  ['bluesky', 'Bluesky'],
  ['mastodon', 'Mastodon'],
  ['threads', 'Threads'],
  ['github', 'GitHub'],
  ['whatsapp', 'WhatsApp'],
]);

export function renderImage({ width: columnWidth, margin }: Walk, attrs: Fields): string {
  const source = readImageSource(attrs.src);
  if (source === null) return '';
  const asked = readPixels(attrs.width, 100_000);
  const width = asked === null ? null : Math.min(asked, columnWidth);
  // The height belongs to the requested width.
  const height = width === asked ? readPixels(attrs.height, MAX_HEIGHT) : null;
  const size = `${width === null ? '' : ` width="${width}"`}${height === null ? '' : ` height="${height}"`}`;
  const style = styled({ 'max-width': '100%', height: 'auto', border: '0', 'vertical-align': 'middle' });
  const tag = `<img src="${escapeHtml(source)}" alt="${escapeHtml(readText(attrs.alt))}"${size}${style}>`;
  const href = readLink(attrs.externalLink ?? attrs.href);
  const linked = href === null ? tag : `<a href="${escapeHtml(href)}">${tag}</a>`;
  return `<div${styled({ margin, 'text-align': readAlignment(attrs.textAlign, attrs.alignment) })}>${linked}</div>`;
}

/**
 * Renders a button that works in Outlook too: a cell has the colour, and mso-padding-alt has the padding, because
 * Outlook ignores the padding of a link. `label` is HTML.
 */
export function renderButton({ theme, margin, start }: Walk, attrs: Fields, label: string): string {
  const href = readLink(attrs.href ?? attrs.url);
  const chosen = readColour(attrs.buttonColor ?? attrs.backgroundColor) ?? theme.button;
  const background = chosen ?? '#222222';
  const color = readColour(attrs.textColor ?? attrs.color) ?? textOn(background);
  const radius = `${readPixels(attrs.borderRadius, 60) ?? 6}px`;
  const isWide = attrs.wide === true;
  const align = readAlignment(attrs.textAlign, attrs.alignment) ?? start;
  const target = href === null ? '' : ` href="${escapeHtml(href)}"`;
  const cell = styled({
    'border-radius': radius,
    'background-color': background,
    'mso-padding-alt': '12px 24px',
  });
  const link = styled({
    display: isWide ? 'block' : 'inline-block',
    padding: '12px 24px',
    'border-radius': radius,
    color,
    'text-decoration': 'none',
    'font-weight': 'bold',
  });
  const width = isWide ? ' width="100%"' : '';
  // Only a button in the default colours changes in dark mode.
  const face = chosen === null ? ' class="ph-face"' : '';
  return (
    `<table ${LAYOUT} width="100%"><tr><td align="${align}"${styled({ padding: margin })}>` +
    `<table ${LAYOUT}${width}><tr><td${face} align="center" bgcolor="${background}"${cell}>` +
    `<a${target}${link}>${label}</a></td></tr></table></td></tr></table>`
  );
}

export function renderLine({ start }: Walk, attrs: Fields): string {
  const colour = readColour(attrs.lineColor);
  const thickness = Math.max(readPixels(attrs.thickness, 12) ?? 1, 1);
  const percent = Math.max(readPixels(attrs.widthPercent, 100) ?? 100, 1);
  const align = readAlignment(attrs.alignment) ?? start;
  // A line across the whole column has no margins at its sides.
  const sides = {
    left: '24px auto 24px 0',
    center: '24px auto',
    right: '24px 0 24px auto',
    justify: '24px auto',
  };
  const width =
    percent === 100 ? '' : ` width="${percent}%" align="${align === 'justify' ? 'center' : align}"`;
  const style = styled({
    margin: percent === 100 ? '24px 0' : sides[align],
    width: percent === 100 ? null : `${percent}%`,
    border: '0',
    'border-top': `${thickness}px solid ${colour ?? '#dddddd'}`,
  });
  return `<hr${colour === null ? ' class="ph-line"' : ''}${width}${style}>`;
}

export function renderSpacer(attrs: Fields): string {
  const height = SPACERS.get(attrs.height) ?? readPixels(attrs.height, 400) ?? DEFAULT_SPACE;
  return `<div style="height:${height}px;line-height:${height}px;font-size:0">&nbsp;</div>`;
}

/** Renders words: icons would be images, which many email apps hide at first. */
export function renderSocial({ margin, theme }: Walk, attrs: Fields): string {
  const links = (Array.isArray(attrs.links) ? attrs.links : []).slice(0, MAX_NETWORKS).flatMap((entry) => {
    const { network, url } = toFields(entry) ?? {};
    const [name, href] = [NETWORKS.get(network), readLink(url)];
    if (name === undefined || href === null) return [];
    return [`<a href="${escapeHtml(href)}"${styled({ color: theme.link })}>${name}</a>`];
  });
  if (links.length === 0) return '';
  const align = readAlignment(attrs.textAlign, attrs.alignment) ?? 'center';
  const style = styled({ margin, 'font-size': '14px', 'text-align': align });
  return `<p${style}>${links.join(' &nbsp;·&nbsp; ')}</p>`;
}

/**
 * Renders the sender of the email and the unsubscribe link. `inside` is the content that other editors write into
 * their footers.
 */
export function renderFooter(attrs: Fields, inside: string): string {
  const links = [
    ...(attrs.unsubscribe === false || inside !== ''
      ? []
      : [footerLink('unsubscribeUrl', wordsOf(attrs.unsubscribeText) || 'Unsubscribe')]),
    ...(attrs.preferences === true
      ? [footerLink('preferencesUrl', wordsOf(attrs.preferencesText) || 'Choose topics')]
      : []),
  ];
  const paragraphs = [wordsOf(attrs.text), wordsOf(attrs.address), links.join(' &nbsp;·&nbsp; ')]
    .filter((words) => words !== '')
    .map((words) => `<p${isRightToLeft(words) ? ' dir="rtl"' : ''} style="margin:0 0 8px">${words}</p>`);
  const style = styled({
    margin: '24px 0 0',
    'font-size': '12px',
    'line-height': '1.5',
    color: '#6b7280',
    'text-align': readAlignment(attrs.textAlign, attrs.alignment) ?? 'center',
  });
  return `<div class="ph-footer"${style}>${inside}${paragraphs.join('')}</div>`;
}

function footerLink(tag: string, label: string): string {
  return `<a href="{{${tag}}}" style="color:#6b7280">${label}</a>`;
}

function wordsOf(value: unknown): string {
  return escapeHtml(readText(value).trim()).replaceAll(/\r?\n/g, '<br>');
}

const TAG_IN_LINK = /((?:href|src)\s{0,9}=\s{0,9}["']?\s{0,9})(\{\{[^{}]{1,200}\}\})/gi;
const TAG_URL = /https:\/\/tag\.invalid\/(\d+)/g;

/**
 * Replaces merge tags in links by URLs while the HTML is cleaned, because cleaning would remove a tag that is not a
 * URL.
 */
export function renderHtmlBlock(walk: Walk, attrs: Fields): string {
  const source = readText(attrs.html);
  if (source === '' || source.length > walk.htmlLeft) return '';
  walk.htmlLeft -= source.length;
  const tags: string[] = [];
  const cleaned = cleanHtml(
    source
      .replaceAll(TAG_URL, '')
      .replaceAll(
        TAG_IN_LINK,
        (_, start: string, tag: string) => `${start}https://tag.invalid/${tags.push(tag) - 1}`,
      ),
  ).replaceAll(TAG_URL, (_, number: string) => escapeHtml(tags[Number(number)] ?? ''));
  return `<div${styled({ margin: walk.margin })}>${cleaned}</div>`;
}
