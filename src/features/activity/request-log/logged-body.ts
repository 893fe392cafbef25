/** What is kept of the bodies of a request and its response. */
import { toStorable } from '../../../platform/storable-text.ts';
import { redactToJson } from '../../audit/redact.ts';

const MAX_BODY_BYTES = 8_192;

/** Names of fields, besides those of the audit log, whose values may be the content of an email. */
const CONTENT_NAMES = new Set([
  'subject',
  'previewtext',
  'variables',
  'dynamictemplatedata',
  'substitutions',
  'recipientvariables',
  'hxmailgunvariables',
  'tvariables',
  'templatemodel',
  'templatevariables',
  'htmlbody',
  'textbody',
  'bodyhtml',
  'bodyplain',
  'amphtml',
  'extracted',
  'quoted',
  'comment',
]);

export function toLoggedBody(text: string, contentType: string | null): string | null {
  if (text === '') return null;
  if (contentType?.startsWith('multipart/')) return '"(a form with files)"';
  const value = contentType?.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : parse(text);
  if (value === undefined) return '"(not JSON)"';
  const json = redactToJson(value, MAX_BODY_BYTES, CONTENT_NAMES);
  return json === null ? null : toStorable(json);
}

/** The email that the path names, or that the response says was made. */
export function findEmailId(path: string, responseBody: string | null): string | null {
  const named = EMAIL_ID.exec(path) ?? (responseBody === null ? null : EMAIL_ID.exec(responseBody));
  return named && named[0];
}

const EMAIL_ID = /eml_[0-9a-hjkmnp-tv-z]{26}/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
