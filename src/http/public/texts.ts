/** The texts of the public pages in every supported language. The page fills in `{…}`. */
export interface PageTexts {
  brokenTitle: string;
  broken: string;
  troubleTitle: string;
  trouble: string;
  leaveTitle: string;
  leave: string;
  leaveButton: string;
  leaveTopicTitle: string;
  leaveTopic: string;
  leaveTopicButton: string;
  leaveAllButton: string;
  leftTitle: string;
  left: string;
  leftTopicTitle: string;
  leftTopic: string;
  preferencesLink: string;
  confirmTitle: string;
  confirm: string;
  confirmButton: string;
  confirmedTitle: string;
  confirmed: string;
  expiredTitle: string;
  expired: string;
  expiredButton: string;
  sentTitle: string;
  sent: string;
  notBackTitle: string;
  notBack: string;
  preferencesTitle: string;
  preferences: string;
  preferencesNone: string;
  saveButton: string;
  savedTitle: string;
}

const en: PageTexts = {
  brokenTitle: 'This link does not work',
  broken:
    'The link is incomplete or damaged. Open the email again and click the link there, or copy the whole link.',
  troubleTitle: 'Something went wrong',
  trouble: 'Nothing was changed. Please try again in a moment.',
  leaveTitle: 'Unsubscribe?',
  leave: '{email} will no longer receive emails from “{book}”.',
  leaveButton: 'Unsubscribe',
  leaveTopicTitle: 'Unsubscribe from “{topic}”?',
  leaveTopic:
    '{email} receives emails from “{book}”. You can unsubscribe from this topic or from all emails.',
  leaveTopicButton: 'Unsubscribe from “{topic}”',
  leaveAllButton: 'Unsubscribe from all emails',
  leftTitle: 'You have been unsubscribed',
  left: 'You will no longer receive these emails. Emails that are already on their way may still arrive.',
  leftTopicTitle: 'You have unsubscribed from this topic',
  leftTopic:
    'You will no longer receive emails about it. Emails that are already on their way may still arrive.',
  preferencesLink: 'Manage your preferences',
  confirmTitle: 'Confirm your subscription',
  confirm:
    'Click the button to receive emails from “{book}” at {email}. If you did not sign up, close this page.',
  confirmButton: 'Yes, subscribe me',
  confirmedTitle: 'Thank you',
  confirmed: '{email} is subscribed to “{book}”.',
  expiredTitle: 'This link has expired',
  expired: 'Confirmation links are valid for 7 days. We can send a new one to {email}.',
  expiredButton: 'Send a new link',
  sentTitle: 'Check your inbox',
  sent: 'We sent a new link to {email}. It may take a few minutes to arrive.',
  notBackTitle: 'You have unsubscribed',
  notBack: '{email} is unsubscribed from “{book}”. To receive emails again, please sign up again.',
  preferencesTitle: 'Email preferences',
  preferences: 'Choose which emails from “{book}” you receive at {email}.',
  preferencesNone: 'There are no topics to choose from.',
  saveButton: 'Save',
  savedTitle: 'Saved',
};

const de: PageTexts = {
  brokenTitle: 'Dieser Link funktioniert nicht',
  broken:
    'Vielleicht ist unterwegs ein Teil verloren gegangen. Öffnen Sie die E-Mail noch einmal und benutzen Sie den Link dort, oder kopieren Sie ihn ganz.',
  troubleTitle: 'Das hat nicht geklappt',
  trouble:
    'Bei uns ist etwas schiefgegangen, es wurde nichts geändert. Bitte versuchen Sie es gleich noch einmal.',
  leaveTitle: 'Abmelden?',
  leave: '{email} bekommt dann keine E-Mails mehr von „{book}“.',
  leaveButton: 'Abmelden',
  leaveTopicTitle: '„{topic}“ abbestellen?',
  leaveTopic: '{email} bekommt E-Mails von „{book}“. Sie können dieses Thema abbestellen oder alles.',
  leaveTopicButton: '„{topic}“ abbestellen',
  leaveAllButton: 'Alles abbestellen',
  leftTitle: 'Sie sind abgemeldet',
  left: 'Sie bekommen keine dieser E-Mails mehr. Was schon unterwegs ist, kann noch ankommen.',
  leftTopicTitle: 'Das Thema ist abbestellt',
  leftTopic: 'Sie bekommen dazu keine E-Mails mehr. Was schon unterwegs ist, kann noch ankommen.',
  preferencesLink: 'Auswählen, was Sie bekommen',
  confirmTitle: 'Anmeldung bestätigen',
  confirm:
    'Mit dem Knopf bestätigen Sie, dass {email} E-Mails von „{book}“ bekommen soll. Wenn Sie das nicht wollten, schließen Sie einfach diese Seite.',
  confirmButton: 'Ja, anmelden',
  confirmedTitle: 'Vielen Dank',
  confirmed: '{email} ist für „{book}“ angemeldet.',
  expiredTitle: 'Dieser Link ist abgelaufen',
  expired: 'Bestätigungslinks gelten 7 Tage. Wir können einen neuen an {email} schicken.',
  expiredButton: 'Neuen Link schicken',
  sentTitle: 'Sehen Sie in Ihr Postfach',
  sent: 'Ein neuer Link ist unterwegs an {email}. Das kann einige Minuten dauern.',
  notBackTitle: 'Sie haben sich abgemeldet',
  notBack: '{email} hat „{book}“ verlassen. Wenn Sie zurückkommen möchten, melden Sie sich bitte neu an.',
  preferencesTitle: 'Was möchten Sie bekommen?',
  preferences: 'E-Mails von „{book}“ an {email}.',
  preferencesNone: 'Es gibt keine Themen zur Auswahl.',
  saveButton: 'Speichern',
  savedTitle: 'Gespeichert',
};

const fr: PageTexts = {
  brokenTitle: 'Ce lien ne fonctionne pas',
  broken:
    'Une partie s’est peut-être perdue en route. Ouvrez de nouveau l’e-mail et utilisez le lien qui s’y trouve, ou copiez-le en entier.',
  troubleTitle: 'Cela n’a pas fonctionné',
  trouble:
    'Un problème est survenu de notre côté et rien n’a été modifié. Veuillez réessayer dans un instant.',
  leaveTitle: 'Se désabonner ?',
  leave: '{email} ne recevra plus d’e-mails de « {book} ».',
  leaveButton: 'Se désabonner',
  leaveTopicTitle: 'Se désabonner de « {topic} » ?',
  leaveTopic: '{email} reçoit des e-mails de « {book} ». Vous pouvez quitter ce thème, ou tout.',
  leaveTopicButton: 'Quitter « {topic} »',
  leaveAllButton: 'Tout quitter',
  leftTitle: 'Vous êtes désabonné',
  left: 'Vous ne recevrez plus ces e-mails. Ce qui est déjà en route peut encore arriver.',
  leftTopicTitle: 'Vous avez quitté ce thème',
  leftTopic: 'Vous ne recevrez plus d’e-mails à ce sujet. Ce qui est déjà en route peut encore arriver.',
  preferencesLink: 'Choisir ce que vous recevez',
  confirmTitle: 'Confirmer votre abonnement',
  confirm:
    'En appuyant sur le bouton, {email} recevra les e-mails de « {book} ». Si vous ne l’avez pas demandé, fermez simplement cette page.',
  confirmButton: 'Oui, m’abonner',
  confirmedTitle: 'Merci',
  confirmed: '{email} est abonné à « {book} ».',
  expiredTitle: 'Ce lien a expiré',
  expired: 'Les liens de confirmation sont valables 7 jours. Nous pouvons en envoyer un nouveau à {email}.',
  expiredButton: 'Envoyer un nouveau lien',
  sentTitle: 'Regardez votre boîte de réception',
  sent: 'Un nouveau lien est en route vers {email}. Cela peut prendre quelques minutes.',
  notBackTitle: 'Vous vous êtes désabonné',
  notBack: '{email} a quitté « {book} ». Pour revenir, inscrivez-vous de nouveau.',
  preferencesTitle: 'Que souhaitez-vous recevoir ?',
  preferences: 'E-mails de « {book} » à {email}.',
  preferencesNone: 'Il n’y a pas de thèmes au choix.',
  saveButton: 'Enregistrer',
  savedTitle: 'Enregistré',
};

const es: PageTexts = {
  brokenTitle: 'Este enlace no funciona',
  broken:
    'Puede que se haya perdido una parte por el camino. Abra de nuevo el correo y use el enlace que contiene, o cópielo entero.',
  troubleTitle: 'No ha funcionado',
  trouble: 'Algo ha fallado por nuestra parte y no se ha cambiado nada. Inténtelo de nuevo en un momento.',
  leaveTitle: '¿Darse de baja?',
  leave: '{email} no recibirá más correos de «{book}».',
  leaveButton: 'Darme de baja',
  leaveTopicTitle: '¿Dejar «{topic}»?',
  leaveTopic: '{email} recibe correos de «{book}». Puede dejar este tema, o todo.',
  leaveTopicButton: 'Dejar «{topic}»',
  leaveAllButton: 'Dejarlo todo',
  leftTitle: 'Se ha dado de baja',
  left: 'No recibirá más correos de este tipo. Lo que ya está en camino aún puede llegar.',
  leftTopicTitle: 'Ha dejado este tema',
  leftTopic: 'No recibirá más correos sobre él. Lo que ya está en camino aún puede llegar.',
  preferencesLink: 'Elegir lo que recibe',
  confirmTitle: 'Confirme su suscripción',
  confirm:
    'Al pulsar el botón, {email} recibirá correos de «{book}». Si no lo ha pedido, simplemente cierre esta página.',
  confirmButton: 'Sí, suscribirme',
  confirmedTitle: 'Gracias',
  confirmed: '{email} está suscrito a «{book}».',
  expiredTitle: 'Este enlace ha caducado',
  expired: 'Los enlaces de confirmación valen 7 días. Podemos enviar uno nuevo a {email}.',
  expiredButton: 'Enviar un enlace nuevo',
  sentTitle: 'Mire su bandeja de entrada',
  sent: 'Un enlace nuevo va de camino a {email}. Puede tardar unos minutos.',
  notBackTitle: 'Se ha dado de baja',
  notBack: '{email} ha dejado «{book}». Si quiere volver, suscríbase de nuevo.',
  preferencesTitle: '¿Qué le gustaría recibir?',
  preferences: 'Correos de «{book}» para {email}.',
  preferencesNone: 'No hay temas para elegir.',
  saveButton: 'Guardar',
  savedTitle: 'Guardado',
};

const nl: PageTexts = {
  brokenTitle: 'Deze link werkt niet',
  broken:
    'Misschien is er onderweg een stuk verloren gegaan. Open de e-mail nog eens en gebruik de link daarin, of kopieer hem helemaal.',
  troubleTitle: 'Dat is niet gelukt',
  trouble: 'Er ging bij ons iets mis en er is niets veranderd. Probeer het zo nog eens.',
  leaveTitle: 'Afmelden?',
  leave: '{email} krijgt dan geen e-mail meer van ‘{book}’.',
  leaveButton: 'Afmelden',
  leaveTopicTitle: 'Afmelden voor ‘{topic}’?',
  leaveTopic: '{email} krijgt e-mail van ‘{book}’. U kunt u voor dit onderwerp afmelden, of voor alles.',
  leaveTopicButton: 'Afmelden voor ‘{topic}’',
  leaveAllButton: 'Voor alles afmelden',
  leftTitle: 'U bent afgemeld',
  left: 'U krijgt deze e-mail niet meer. Wat al onderweg is, kan nog aankomen.',
  leftTopicTitle: 'U bent voor dit onderwerp afgemeld',
  leftTopic: 'U krijgt hierover geen e-mail meer. Wat al onderweg is, kan nog aankomen.',
  preferencesLink: 'Kiezen wat u krijgt',
  confirmTitle: 'Bevestig uw aanmelding',
  confirm:
    'Met de knop bevestigt u dat {email} e-mail van ‘{book}’ wil krijgen. Hebt u hier niet om gevraagd, sluit dan gewoon deze pagina.',
  confirmButton: 'Ja, meld mij aan',
  confirmedTitle: 'Dank u wel',
  confirmed: '{email} is aangemeld voor ‘{book}’.',
  expiredTitle: 'Deze link is verlopen',
  expired: 'Bevestigingslinks werken 7 dagen. We kunnen een nieuwe naar {email} sturen.',
  expiredButton: 'Stuur een nieuwe link',
  sentTitle: 'Kijk in uw postvak',
  sent: 'Een nieuwe link is onderweg naar {email}. Dat kan een paar minuten duren.',
  notBackTitle: 'U hebt zich afgemeld',
  notBack: '{email} heeft ‘{book}’ verlaten. Wilt u terugkomen, meld u dan opnieuw aan.',
  preferencesTitle: 'Wat wilt u krijgen?',
  preferences: 'E-mail van ‘{book}’ aan {email}.',
  preferencesNone: 'Er zijn geen onderwerpen om uit te kiezen.',
  saveButton: 'Opslaan',
  savedTitle: 'Opgeslagen',
};

const LANGUAGES = { en, de, fr, es, nl };
export type Language = keyof typeof LANGUAGES;

export function textsIn(language: Language): PageTexts {
  return LANGUAGES[language];
}

/** Returns the supported language that the visitor prefers (RFC 9110 section 12.5.4); English if there is none. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = /^\s*q=([\d.]+)\s*$/.exec(parameters.join(';'))?.[1];
      return { language: tag.split('-')[0]!.trim(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => Object.hasOwn(LANGUAGES, language) && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return (wanted[0]?.language as Language | undefined) ?? 'en';
}
