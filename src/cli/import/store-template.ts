/** Stores a template, unless the team has one with the same name. */
import { createWithinLimit } from '../../features/account/teams/team-limits.ts';
import { templateInput } from '../../features/content/templates/templates.schema.ts';
import {
  createTemplate,
  findTemplateId,
  readTemplateContent,
} from '../../features/content/templates/templates.ts';
import { hasOtherTags } from '../../http/vendors/mapping/stored-template.ts';
import { AppError } from '../../platform/errors.ts';
import { isStorable } from '../../platform/schema.ts';
import type { ImportedTemplate } from './items.ts';
import { refuse } from './report.ts';
import type { Writing } from './writing.ts';

const TO_REWRITE = 'parts of templates that are not plain tags (sections, loops, conditions): rewrite them';

export async function storeTemplate(writing: Writing, template: ImportedTemplate): Promise<void> {
  const { db, teamId, report } = writing;
  if (await hasTemplate(writing, template.name.trim())) {
    report.counts.templates.unchanged += 1;
    return;
  }
  const { alias, ...content } = template;
  const texts = [content.name, content.subject, content.html, content.text];
  if (texts.some((text) => text !== null && !isStorable(text)))
    return refuse(report, 'templates', template.name, 'It contains NUL characters or unpaired surrogates.');
  const isFree = !!alias && !(await isFound(readTemplateContent(db, teamId, alias)));
  const withAlias = templateInput.safeParse({ ...content, alias: isFree ? alias : null });
  const input = withAlias.success ? withAlias : templateInput.safeParse(content);
  if (!input.success) {
    const { path, message } = input.error.issues[0]!;
    return refuse(report, 'templates', template.name, `${path.join('.')} ${message}.`);
  }
  report.counts.templates.created += 1;
  if (texts.some((text) => text !== null && hasOtherTags(text)))
    report.skipped.set(TO_REWRITE, (report.skipped.get(TO_REWRITE) ?? 0) + 1);
  if (writing.isDry) return;
  await createWithinLimit(db, teamId, { noun: 'templates', limits: writing.limits }, (trx) =>
    createTemplate(trx, { teamId, by: 'command' }, input.data),
  );
}

function hasTemplate({ db, teamId }: Writing, name: string): Promise<boolean> {
  return isFound(findTemplateId(db, teamId, name));
}

async function isFound(search: Promise<unknown>): Promise<boolean> {
  try {
    await search;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
