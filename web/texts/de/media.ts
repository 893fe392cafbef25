import type { mediaTexts as English } from '../en/media.ts';

export const mediaTexts: typeof English = {
  title: 'Bilder',
  lead: 'Die Bilder Ihrer E-Mails. Jedes hat eine öffentliche URL, die gleich bleibt.',
  upload: 'Bilder hochladen',
  emptyTitle: 'Noch keine Bilder',
  emptyText:
    'Laden Sie ein Logo oder ein Foto hoch oder legen Sie es hier ab. Bilder, die Sie in eine E-Mail einfügen, erscheinen auch hier.',
  open: (name) => `${name} öffnen`,
  copyUrl: (name) => `URL von ${name} kopieren`,
  copied: 'URL kopiert',
  deleted: 'Bild gelöscht',
};
