/** The texts of the archive in every supported language. */
import type { Language } from './texts.ts';

interface ArchiveTexts {
  goneTitle: string;
  gone: string;
  empty: string;
  all: string;
  older: string;
  newest: string;
  feed: string;
}

const TEXTS: Record<Language, ArchiveTexts> = {
  en: {
    goneTitle: 'This page does not exist',
    gone: 'The address is wrong, or the page is no longer public.',
    empty: 'There are no emails yet.',
    all: 'All emails',
    older: 'Older emails',
    newest: 'Newest emails',
    feed: 'RSS feed',
  },
  de: {
    goneTitle: 'Diese Seite gibt es nicht',
    gone: 'Die Adresse ist falsch oder die Seite ist nicht mehr öffentlich.',
    empty: 'Es gibt noch keine Ausgaben.',
    all: 'Alle Ausgaben',
    older: 'Ältere Ausgaben',
    newest: 'Neueste Ausgaben',
    feed: 'RSS-Feed',
  },
  fr: {
    goneTitle: 'Cette page n’existe pas',
    gone: 'L’adresse est incorrecte ou la page n’est plus publique.',
    empty: 'Aucun numéro n’est encore paru.',
    all: 'Tous les numéros',
    older: 'Numéros précédents',
    newest: 'Derniers numéros',
    feed: 'Flux RSS',
  },
  es: {
    goneTitle: 'Esta página no existe',
    gone: 'La dirección es incorrecta o la página ya no es pública.',
    empty: 'Todavía no hay boletines.',
    all: 'Todos los boletines',
    older: 'Boletines anteriores',
    newest: 'Últimos boletines',
    feed: 'Canal RSS',
  },
  nl: {
    goneTitle: 'Deze pagina bestaat niet',
    gone: 'Het adres klopt niet of de pagina is niet meer openbaar.',
    empty: 'Er zijn nog geen nieuwsbrieven.',
    all: 'Alle nieuwsbrieven',
    older: 'Oudere nieuwsbrieven',
    newest: 'Nieuwste nieuwsbrieven',
    feed: 'RSS-feed',
  },
};

export function archiveTextsIn(language: Language): ArchiveTexts {
  return TEXTS[language];
}
