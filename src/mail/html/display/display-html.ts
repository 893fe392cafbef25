/**
 * Prepares a message that brings a style sheet for display in a sandboxed frame. The result is the cleaned sheet in a
 * style element, then the cleaned HTML with its classes, IDs and background images. It may only be shown in a frame
 * without scripts: its classes could match styles of a page.
 */
import { toStorable } from '../../../platform/storable-text.ts';
import { cleanHtml, cleanMarkup } from '../clean-html.ts';
import { removeForeignElements } from '../remove-foreign.ts';
import { readAttributes } from '../tag-attributes.ts';
import { readTag, skipElement } from '../tag.ts';
import { BODY, ROOT } from '../display-selectors.ts';
import { cleanSheets, type WrittenSheet } from './display-sheet.ts';

const HAS_STYLES = /<style|url\s*\(/i;
const RAW_TEXT = new Set('script title textarea xmp iframe noembed noframes plaintext template'.split(' '));
const MAX_LENGTH = 2_000_000;

/** The HTML of a message: as it is stored and shown elsewhere, and for display in a frame if that differs. */
export interface CleanMail {
  html: string | null;
  displayHtml: string | null;
}

export function cleanMail(html: string): CleanMail {
  return { html: cleanHtml(html), displayHtml: toDisplayHtml(html) };
}

/** Returns null if the cleaned HTML alone looks the same. */
export function toDisplayHtml(source: string): string | null {
  if (!HAS_STYLES.test(source)) return null;
  const html = toStorable(source);
  const sheet = cleanSheets(collectSheets(html));
  const content = cleanMarkup(html, 'display');
  if (content === null || (sheet === '' && !content.includes("url('"))) return null;
  const body = content.includes(`<${BODY.tag} ${BODY.mark}`)
    ? content
    : `<${BODY.tag} ${BODY.mark}>${content}</${BODY.tag}>`;
  const display = `<style>${sheet}</style><${ROOT.tag} ${ROOT.mark}>${body}</${ROOT.tag}>`;
  return display.length > MAX_LENGTH ? null : display;
}

/** Sheets in comments are for Outlook. */
function collectSheets(source: string): WrittenSheet[] {
  const html = removeForeignElements(source);
  const sheets: WrittenSheet[] = [];
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing) continue;
    if (RAW_TEXT.has(name)) at = skipElement(html, end, name);
    if (name !== 'style') continue;
    at = skipElement(html, end, name);
    const { attributes } = readAttributes(html.slice(open, end), '<style'.length);
    const valueOf = (wanted: string) => attributes.find((each) => each.name === wanted)?.value?.trim() ?? '';
    if (!/^(?:text\/css)?$/i.test(valueOf('type'))) continue;
    sheets.push({ css: html.slice(end, at), media: valueOf('media') });
  }
  return sheets;
}
