/**
 * `posthorn template push FOLDER` renders each file of a folder and uploads it through the HTTP API. A file
 * `welcome.tsx` is the template with the alias `welcome`, which emails can use as `templateId`. Unchanged templates
 * are not uploaded, so the command can be repeated. Nothing is deleted.
 */
import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { AppError } from '../../platform/errors.ts';
import type { Config } from '../../config.ts';
import { readOptions, unknownSubcommand, UsageError } from '../usage.ts';
import { createTemplateApi, type TemplateApi } from './template-api.ts';
import { renderTemplate } from './render-template.ts';

const EXTENSIONS = new Set(['.html', '.htm', '.mjml', '.tsx', '.jsx']);
const ALIAS = /^(?!tpl_)[A-Za-z0-9_-]{1,64}$/;
/** The documentation of the command names this variable. */
const KEY_VARIABLE = 'POSTHORN_API_KEY';

export async function templateCommand(args: string[], config: Config): Promise<void> {
  const [action, ...rest] = args;
  if (action !== 'push') throw unknownSubcommand(action, ['push']);
  const { options, positionals, flags } = readOptions(rest, ['url', 'key'], {
    positionals: true,
    flags: ['dry-run'],
  });
  const [folder] = positionals;
  if (!folder || positionals.length > 1) throw new UsageError('Give the name of one folder.');
  const key = options.key ?? process.env[KEY_VARIABLE];
  if (!key) throw new UsageError(`The API key is missing. Use --key, or set ${KEY_VARIABLE}.`);
  const api = createTemplateApi(options.url ?? config.baseUrl, key);
  const files = await findFiles(folder);
  if (files.length === 0)
    throw new AppError('BAD_REQUEST', `${folder} has no .html, .mjml, .tsx or .jsx files.`);
  let failures = 0;
  for (const file of files) {
    try {
      console.log(`${aliasOf(file)}: ${await pushFile(api, file, flags['dry-run'] === true)}`);
    } catch (error) {
      failures += 1;
      console.error(`${aliasOf(file)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failures > 0)
    throw new AppError('BAD_REQUEST', `${failures} of ${files.length} templates were not pushed.`);
}

/** Files that begin with a dot or an underscore are parts of others. */
async function findFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw new AppError('BAD_REQUEST', `${folder} is not a folder that can be read.`);
  });
  const files = entries
    .filter((entry) => entry.isFile() && !/^[._]/.test(entry.name))
    .filter(({ name }) => EXTENSIONS.has(extname(name).toLowerCase()))
    .map(({ name }) => join(folder, name))
    .toSorted();
  for (const [at, file] of files.entries()) {
    if (!ALIAS.test(aliasOf(file)))
      throw new AppError('BAD_REQUEST', `${file} must be named with A-Z, a-z, 0-9, _ and - only.`);
    const other = files[at + 1];
    if (other && aliasOf(other) === aliasOf(file))
      throw new AppError('BAD_REQUEST', `${file} and ${other} would be the same template.`);
  }
  return files;
}

function aliasOf(file: string): string {
  return basename(file, extname(file));
}

/** Returns the result in words. */
async function pushFile(api: TemplateApi, file: string, isDry: boolean): Promise<string> {
  const alias = aliasOf(file);
  const { subject, body } = await renderTemplate(file);
  const before = await api.find(alias);
  const input = { ...(subject === null ? {} : { subject }), ...body };
  if (!before) {
    if (!isDry) await api.create({ name: alias, alias, ...input });
    return isDry ? 'would be created' : 'created';
  }
  const isSame =
    'html' in body && body.html === before.html && (subject ?? before.subject) === before.subject;
  if (isSame) return 'unchanged';
  if (isDry) return 'would be updated';
  const after = await api.update(before.id, input);
  // The HTML of MJML is only known after the server has rendered it.
  return after.html === before.html && after.subject === before.subject ? 'unchanged' : 'updated';
}
