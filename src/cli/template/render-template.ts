/**
 * Renders a file of an email template with the packages of the developer's own project: React Email with its
 * `@react-email/render` and esbuild, MJML with its `mjml`. MJML without that package is rendered by the server.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeEntities } from '../../mail/html/entities.ts';
import { AppError } from '../../platform/errors.ts';

export interface RenderedTemplate {
  subject: string | null;
  body: { html: string } | { mjml: string };
}

const TITLE = /<(?:mj-)?title[^<>]{0,200}>([^<]{1,998})</i;

export async function renderTemplate(file: string): Promise<RenderedTemplate> {
  const extension = extname(file).toLowerCase();
  if (extension === '.tsx' || extension === '.jsx') return renderReact(file);
  const source = await readFile(file, 'utf8');
  const subject = titleIn(source);
  if (extension !== '.mjml') return { subject, body: { html: source } };
  const render = await findPackage<MjmlPackage>(file, 'mjml');
  if (!render) return { subject, body: { mjml: source } };
  const { html } = await render.default(source, { filePath: file, ignoreIncludes: false });
  return { subject, body: { html } };
}

interface MjmlPackage {
  default(source: string, options: object): { html: string } | Promise<{ html: string }>;
}

interface EsbuildPackage {
  build(options: object): Promise<unknown>;
}

interface ReactPackage {
  createElement(type: unknown, props: object): unknown;
}

interface RenderPackage {
  render(element: unknown): string | Promise<string>;
}

interface EmailModule {
  default?: { (props: object): unknown; PreviewProps?: object; templateProps?: object; subject?: unknown };
  subject?: unknown;
}

async function renderReact(file: string): Promise<RenderedTemplate> {
  const [esbuild, react, renderer] = await Promise.all([
    needPackage<EsbuildPackage>(file, 'esbuild'),
    needPackage<ReactPackage>(file, 'react'),
    needPackage<RenderPackage>(file, '@react-email/render'),
  ]);
  const email = await loadModule(file, esbuild);
  if (typeof email.default !== 'function') {
    throw new AppError('BAD_REQUEST', `${file} has no default export that is a component.`);
  }
  const props = email.default.templateProps ?? toTags(email.default.PreviewProps ?? {});
  const html = await renderer.render(react.createElement(email.default, props));
  const subject = email.subject ?? email.default.subject;
  return { subject: typeof subject === 'string' ? subject : titleIn(html), body: { html } };
}

function titleIn(source: string): string | null {
  return decodeEntities(TITLE.exec(source)?.[1] ?? '').trim() || null;
}

/** Texts and numbers become merge tags, so that the template contains tags instead of the preview's values. */
function toTags(preview: object): object {
  return Object.fromEntries(
    Object.entries(preview).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' || typeof value === 'number' ? `{{${name}}}` : value,
    ]),
  );
}

/** The bundle is stored beside the source, so that it finds the same packages. */
async function loadModule(file: string, esbuild: EsbuildPackage): Promise<EmailModule> {
  const folder = await mkdtemp(join(dirname(file), '.posthorn-'));
  try {
    const outfile = join(folder, 'email.mjs');
    await esbuild.build({
      entryPoints: [file],
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      jsx: 'automatic',
      logLevel: 'silent',
    });
    return (await import(pathToFileURL(outfile).href)) as EmailModule;
  } catch (error) {
    throw new AppError('BAD_REQUEST', `${file} cannot be loaded: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function needPackage<Package>(file: string, name: string): Promise<Package> {
  const found = await findPackage<Package>(file, name);
  if (found) return found;
  throw new AppError(
    'BAD_REQUEST',
    `${file} needs the package ${name}, which is not installed in its project. Run: npm install --save-dev ${name}`,
  );
}

/** Returns null if the project of the file does not have the package. */
async function findPackage<Package>(file: string, name: string): Promise<Package | null> {
  let path: string;
  try {
    path = createRequire(resolve(file)).resolve(name);
  } catch {
    return null;
  }
  const loaded = (await import(pathToFileURL(path).href)) as Package & { default?: Package };
  // A CommonJS package may have its functions only on its default export.
  return name === 'mjml' ? unwrap(loaded) : { ...loaded.default, ...loaded };
}

function unwrap<Package>(loaded: Package & { default?: unknown }): Package {
  const inner = loaded.default as { default?: unknown } | undefined;
  return (typeof inner === 'object' && inner !== null && 'default' in inner ? inner : loaded) as Package;
}
