/** The pages at /docs, in the order of the table of contents. Their paths follow the files in docs/. */
import { readFileSync } from 'node:fs';

export interface DocsPage {
  /** The file, relative to docs/. */
  file: string;
  /** The path at which the page is served. */
  path: string;
  title: string;
  source: string;
}

export interface DocsGroup {
  name: string;
  pages: DocsPage[];
}

const GROUPS: Record<string, string[]> = {
  Guides: [
    'guides/first-email.md',
    'guides/domains-and-dns.md',
    'guides/webhooks.md',
    'guides/campaigns.md',
    'guides/welcome-series.md',
    'guides/receiving-mail.md',
    'guides/mail-programs.md',
    'guides/assistants.md',
    'guides/moving-here.md',
    'guides/going-live.md',
    'guides/first-month.md',
    'guides/api-changes.md',
  ],
  'Moving here': [
    'moving/README.md',
    'moving/resend.md',
    'moving/mailgun.md',
    'moving/postmark.md',
    'moving/sendgrid.md',
    'moving/listmonk.md',
    'moving/mailchimp.md',
    'moving/sdk-methods.md',
    'moving/paths.md',
  ],
  'Running it': [
    'install.md',
    'operating.md',
    'configuration.md',
    'mail-programs.md',
    'roles.md',
    'reliability.md',
  ],
};

export function readDocsPages(): DocsGroup[] {
  return Object.entries(GROUPS).map(([name, files]) => ({ name, pages: files.map(readPage) }));
}

function readPage(file: string): DocsPage {
  const source = readFileSync(`docs/${file}`, 'utf8');
  const title = /^# (.+)$/m.exec(source)?.[1];
  if (!title) throw new Error(`docs/${file} has no title.`);
  return { file, path: `/docs/${file.replace(/(\/README)?\.md$/, '')}`, title, source };
}
