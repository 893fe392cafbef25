import type { automationRecipeTexts as English } from '../en/automation-recipes.ts';

const HELLO = 'Hallo {{firstName,fallback=zusammen}},';

export const automationRecipeTexts: typeof English = {
  recipes: {
    blank: { name: 'Leer', note: 'Beginnen Sie mit nichts.' },
    welcome: { name: 'Willkommen', note: 'Eine Begrüßung sofort und Tipps drei Tage später.' },
    trial: {
      name: 'Ende der Testphase',
      note: 'Erinnert vor dem Ende der Testphase, bis sich jemand für einen Tarif entscheidet.',
    },
    abandoned: { name: 'Abgebrochene Bestellung', note: 'Erinnert an den Warenkorb, bis bestellt wird.' },
    winBack: { name: 'Zurückgewinnen', note: 'Schreibt denen, die lange nichts geöffnet haben.' },
    review: { name: 'Um eine Bewertung bitten', note: 'Eine Woche nach einer Bestellung.' },
    birthday: { name: 'Geburtstag', note: 'Gratuliert jedes Jahr.' },
    feedback: {
      name: 'Rückmeldung',
      note: 'Fragt, wie es läuft, und sagt Ihrem Team, wenn jemand antwortet.',
    },
    followUp: { name: 'Nachfassen', note: 'Fragt zweimal nach und hört auf, sobald jemand antwortet.' },
  },
  recipeEmails: {
    welcome: {
      subject: 'Willkommen, {{firstName,fallback=schön dass Sie da sind}}',
      text: `${HELLO}\nschön, dass Sie da sind. Antworten Sie auf diese E-Mail, wenn Sie eine Frage haben.`,
    },
    tips: { subject: 'Drei Tipps für Sie', text: `${HELLO}\nso haben andere begonnen:\n1. …\n2. …\n3. …` },
    trialEnds: {
      subject: 'Ihre Testphase endet in 3 Tagen',
      text: `${HELLO}\nIhre Testphase endet in drei Tagen. Wählen Sie einen Tarif, um alles zu behalten.`,
    },
    trialOver: {
      subject: 'Ihre Testphase endet heute',
      text: `${HELLO}\nheute ist der letzte Tag Ihrer Testphase.`,
    },
    cart: {
      subject: 'Sie haben etwas vergessen',
      text: `${HELLO}\nIhr Warenkorb ist noch da. Sollen wir ihn für Sie aufheben?`,
    },
    cartAgain: {
      subject: 'Ihr Warenkorb ist noch da',
      text: `${HELLO}\ndies ist die letzte Erinnerung. Antworten Sie, wenn Sie etwas von der Bestellung abgehalten hat.`,
    },
    miss: {
      subject: 'Möchten Sie weiter von uns hören?',
      text: `${HELLO}\nSie haben unsere E-Mails eine Weile nicht geöffnet. Klicken Sie hier, wenn Sie bleiben möchten.`,
    },
    review: {
      subject: 'Wie gefällt es Ihnen?',
      text: `${HELLO}\nSie haben Ihre Bestellung seit einer Woche. Schreiben Sie uns eine kurze Bewertung?`,
    },
    birthday: {
      subject: 'Alles Gute zum Geburtstag, {{firstName,fallback=von uns allen}}',
      text: `${HELLO}\nalles Gute für das neue Lebensjahr!`,
    },
    feedback: {
      subject: 'Wie läuft es?',
      text: `${HELLO}\nSie sind jetzt eine Weile bei uns. Was können wir besser machen? Antworten Sie einfach auf diese E-Mail.`,
    },
    ask: { subject: 'Eine kurze Frage', text: `${HELLO}\nhaben Sie diese Woche eine Minute Zeit?` },
    askAgain: { subject: 'Re: Eine kurze Frage', text: `${HELLO}\nhaben Sie meine Frage gesehen?` },
    askLast: {
      subject: 'Re: Eine kurze Frage',
      text: `${HELLO}\ndies ist mein letzter Versuch. Schreiben Sie, wann immer es Ihnen passt.`,
    },
  },
  recipeNote: 'Der Kontakt hat auf die E-Mail zur Rückmeldung geantwortet.',
  recipeLabel: 'Rückmeldung',
};
