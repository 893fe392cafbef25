import type { versionTexts as English } from '../en/versions.ts';

export const versionTexts: typeof English = {
  open: 'Versionen',
  title: 'Versionen',
  lead: 'Frühere Fassungen von Betreff und Inhalt. Jede bleibt 30 Tage erhalten.',
  emptyTitle: 'Noch keine früheren Versionen',
  emptyText: 'Eine Version entsteht, wenn Sie den Betreff oder den Inhalt ändern.',
  shown: 'Diese Version',
  savedAt: 'Gespeichert',
  savedBy: (name) => `von ${name}`,
  key: (name) => `dem API-Schlüssel ${name}`,
  variant: 'Variante',
  allVariants: 'Die Kampagne selbst',
  noSubject: 'Kein Betreff',
  restore: 'Wiederherstellen',
  restored: 'Version wiederhergestellt. Der ersetzte Inhalt bleibt als Version erhalten',
  saveFirst: 'Speichern Sie zuerst Ihre Änderungen.',
  conflict: {
    text: 'Sie und jemand anderes, oder Sie in einem anderen Tab, haben denselben Teil geändert. Wählen Sie, was bleiben soll. Das andere bleibt unter „Versionen“ erhalten.',
    /** Shown if the content must not be saved only to keep it, because applications or a schedule could send it. */
    textNow:
      'Sie und jemand anderes, oder Sie in einem anderen Tab, haben denselben Teil geändert. Wählen Sie, was bleiben soll. Die andere Fassung bleibt unter „Versionen“ erhalten, Ihre nicht.',
    keepMine: 'Meine behalten',
    takeTheirs: 'Andere verwenden',
    mineKept: 'Ihre Änderungen wurden gespeichert. Die anderen stehen unter „Versionen“',
    theirsKept: 'Die anderen Änderungen bleiben. Ihre stehen unter „Versionen“',
    mineDropped: 'Ihre Änderungen wurden verworfen',
  },
};
