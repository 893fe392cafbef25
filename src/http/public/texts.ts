import { preferredLanguage } from '../requests/accept-language.ts';

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
  unsubscribed: string;
  suppressed: string;
  back: string;
  backButton: string;
  why: string;
  whyTooMany: string;
  whyNotRelevant: string;
  whyNever: string;
  whyOther: string;
  whyButton: string;
  whyThanks: string;
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
  unsubscribed: '{email} is unsubscribed from “{book}”.',
  suppressed:
    '{email} gets no emails from “{book}”. This address cannot be subscribed again here. Please write to the sender.',
  back: 'Was this a mistake? {email} can be subscribed again.',
  backButton: 'Subscribe again',
  why: 'Why do you unsubscribe?',
  whyTooMany: 'Too many emails',
  whyNotRelevant: 'They are not relevant to me',
  whyNever: 'I never signed up',
  whyOther: 'Another reason',
  whyButton: 'Send',
  whyThanks: 'Thank you for telling us.',
  preferencesTitle: 'Email preferences',
  preferences: 'Choose which emails from “{book}” you receive at {email}.',
  preferencesNone: 'There are no topics to choose from.',
  saveButton: 'Save',
  savedTitle: 'Saved',
};

const de: PageTexts = {
  brokenTitle: 'Dieser Link funktioniert nicht',
  broken:
    'Der Link ist unvollständig oder beschädigt. Öffnen Sie die E-Mail noch einmal und klicken Sie dort auf den Link, oder kopieren Sie den ganzen Link.',
  troubleTitle: 'Etwas ist schiefgegangen',
  trouble: 'Es wurde nichts geändert. Bitte versuchen Sie es gleich noch einmal.',
  leaveTitle: 'Abmelden?',
  leave: '{email} erhält dann keine E-Mails mehr von „{book}“.',
  leaveButton: 'Abmelden',
  leaveTopicTitle: '„{topic}“ abbestellen?',
  leaveTopic: '{email} erhält E-Mails von „{book}“. Sie können dieses Thema oder alle E-Mails abbestellen.',
  leaveTopicButton: '„{topic}“ abbestellen',
  leaveAllButton: 'Alle E-Mails abbestellen',
  leftTitle: 'Sie sind abgemeldet',
  left: 'Sie erhalten diese E-Mails nicht mehr. E-Mails, die schon unterwegs sind, können noch ankommen.',
  leftTopicTitle: 'Sie haben dieses Thema abbestellt',
  leftTopic: 'Sie erhalten dazu keine E-Mails mehr. E-Mails, die schon unterwegs sind, können noch ankommen.',
  preferencesLink: 'E-Mail-Einstellungen ändern',
  confirmTitle: 'Anmeldung bestätigen',
  confirm:
    'Klicken Sie auf die Schaltfläche, um E-Mails von „{book}“ an {email} zu erhalten. Wenn Sie sich nicht angemeldet haben, schließen Sie diese Seite.',
  confirmButton: 'Ja, anmelden',
  confirmedTitle: 'Vielen Dank',
  confirmed: '{email} ist für „{book}“ angemeldet.',
  expiredTitle: 'Dieser Link ist abgelaufen',
  expired: 'Bestätigungslinks sind 7 Tage gültig. Wir können einen neuen Link an {email} senden.',
  expiredButton: 'Neuen Link senden',
  sentTitle: 'Sehen Sie in Ihrem Posteingang nach',
  sent: 'Wir haben einen neuen Link an {email} gesendet. Es kann einige Minuten dauern, bis er ankommt.',
  notBackTitle: 'Sie haben sich abgemeldet',
  notBack:
    '{email} ist von „{book}“ abgemeldet. Wenn Sie wieder E-Mails erhalten möchten, melden Sie sich bitte neu an.',
  unsubscribed: '{email} ist von „{book}“ abgemeldet.',
  suppressed:
    '{email} erhält keine E-Mails von „{book}“. Diese Adresse kann hier nicht wieder angemeldet werden. Bitte schreiben Sie dem Absender.',
  back: 'War das ein Versehen? {email} kann wieder angemeldet werden.',
  backButton: 'Wieder anmelden',
  why: 'Warum melden Sie sich ab?',
  whyTooMany: 'Zu viele E-Mails',
  whyNotRelevant: 'Sie sind für mich nicht interessant',
  whyNever: 'Ich habe mich nie angemeldet',
  whyOther: 'Ein anderer Grund',
  whyButton: 'Senden',
  whyThanks: 'Danke für Ihre Rückmeldung.',
  preferencesTitle: 'E-Mail-Einstellungen',
  preferences: 'Wählen Sie, welche E-Mails von „{book}“ Sie an {email} erhalten.',
  preferencesNone: 'Es gibt keine Themen zur Auswahl.',
  saveButton: 'Speichern',
  savedTitle: 'Gespeichert',
};

const fr: PageTexts = {
  brokenTitle: 'Ce lien ne fonctionne pas',
  broken:
    'Le lien est incomplet ou endommagé. Ouvrez de nouveau l’e-mail et cliquez sur le lien, ou copiez le lien en entier.',
  troubleTitle: 'Une erreur s’est produite',
  trouble: 'Rien n’a été modifié. Veuillez réessayer dans un instant.',
  leaveTitle: 'Se désabonner ?',
  leave: '{email} ne recevra plus d’e-mails de « {book} ».',
  leaveButton: 'Se désabonner',
  leaveTopicTitle: 'Se désabonner de « {topic} » ?',
  leaveTopic:
    '{email} reçoit des e-mails de « {book} ». Vous pouvez vous désabonner de ce thème ou de tous les e-mails.',
  leaveTopicButton: 'Se désabonner de « {topic} »',
  leaveAllButton: 'Se désabonner de tous les e-mails',
  leftTitle: 'Votre désabonnement est confirmé',
  left: 'Vous ne recevrez plus ces e-mails. Les e-mails déjà en route peuvent encore arriver.',
  leftTopicTitle: 'Votre désabonnement de ce thème est confirmé',
  leftTopic: 'Vous ne recevrez plus d’e-mails à ce sujet. Les e-mails déjà en route peuvent encore arriver.',
  preferencesLink: 'Gérer vos préférences',
  confirmTitle: 'Confirmez votre abonnement',
  confirm:
    'Cliquez sur le bouton pour recevoir les e-mails de « {book} » à l’adresse {email}. Si vous n’avez pas demandé cet abonnement, fermez cette page.',
  confirmButton: 'Oui, m’abonner',
  confirmedTitle: 'Merci',
  confirmed: 'L’adresse {email} est abonnée à « {book} ».',
  expiredTitle: 'Ce lien a expiré',
  expired: 'Les liens de confirmation sont valables 7 jours. Nous pouvons en envoyer un nouveau à {email}.',
  expiredButton: 'Envoyer un nouveau lien',
  sentTitle: 'Consultez votre boîte de réception',
  sent: 'Nous avons envoyé un nouveau lien à {email}. Il peut mettre quelques minutes à arriver.',
  notBackTitle: 'Cette adresse est désabonnée',
  notBack:
    'L’adresse {email} est désabonnée de « {book} ». Pour recevoir de nouveau des e-mails, inscrivez-vous à nouveau.',
  unsubscribed: 'L’adresse {email} est désabonnée de « {book} ».',
  suppressed:
    'L’adresse {email} ne reçoit pas d’e-mails de « {book} » et ne peut pas être réabonnée ici. Veuillez écrire à l’expéditeur.',
  back: 'C’était une erreur ? L’adresse {email} peut être réabonnée.',
  backButton: 'Se réabonner',
  why: 'Pourquoi vous désabonnez-vous ?',
  whyTooMany: 'Trop d’e-mails',
  whyNotRelevant: 'Ils ne m’intéressent pas',
  whyNever: 'Je ne me suis jamais inscrit',
  whyOther: 'Une autre raison',
  whyButton: 'Envoyer',
  whyThanks: 'Merci de votre réponse.',
  preferencesTitle: 'Préférences d’e-mails',
  preferences: 'Choisissez les e-mails de « {book} » que vous recevez à l’adresse {email}.',
  preferencesNone: 'Il n’y a aucun thème à choisir.',
  saveButton: 'Enregistrer',
  savedTitle: 'Enregistré',
};

const es: PageTexts = {
  brokenTitle: 'Este enlace no funciona',
  broken:
    'El enlace está incompleto o dañado. Abra de nuevo el correo y haga clic en el enlace, o copie el enlace completo.',
  troubleTitle: 'Se ha producido un error',
  trouble: 'No se ha cambiado nada. Inténtelo de nuevo en un momento.',
  leaveTitle: '¿Darse de baja?',
  leave: '{email} ya no recibirá correos de «{book}».',
  leaveButton: 'Darme de baja',
  leaveTopicTitle: '¿Darse de baja de «{topic}»?',
  leaveTopic: '{email} recibe correos de «{book}». Puede darse de baja de este tema o de todos los correos.',
  leaveTopicButton: 'Darme de baja de «{topic}»',
  leaveAllButton: 'Darme de baja de todos los correos',
  leftTitle: 'Se ha dado de baja',
  left: 'Ya no recibirá estos correos. Los correos que ya están en camino aún pueden llegar.',
  leftTopicTitle: 'Se ha dado de baja de este tema',
  leftTopic: 'Ya no recibirá correos sobre este tema. Los correos que ya están en camino aún pueden llegar.',
  preferencesLink: 'Gestionar sus preferencias',
  confirmTitle: 'Confirme su suscripción',
  confirm:
    'Haga clic en el botón para recibir los correos de «{book}» en {email}. Si no se ha suscrito, cierre esta página.',
  confirmButton: 'Sí, suscribirme',
  confirmedTitle: 'Gracias',
  confirmed: 'La dirección {email} está suscrita a «{book}».',
  expiredTitle: 'Este enlace ha caducado',
  expired: 'Los enlaces de confirmación son válidos durante 7 días. Podemos enviar uno nuevo a {email}.',
  expiredButton: 'Enviar un enlace nuevo',
  sentTitle: 'Revise su bandeja de entrada',
  sent: 'Hemos enviado un enlace nuevo a {email}. Puede tardar unos minutos en llegar.',
  notBackTitle: 'Se ha dado de baja',
  notBack:
    'La dirección {email} está dada de baja de «{book}». Para volver a recibir correos, suscríbase de nuevo.',
  unsubscribed: 'La dirección {email} está dada de baja de «{book}».',
  suppressed:
    'La dirección {email} no recibe correos de «{book}» y no se puede volver a suscribir aquí. Escriba al remitente.',
  back: '¿Ha sido un error? La dirección {email} se puede volver a suscribir.',
  backButton: 'Volver a suscribirme',
  why: '¿Por qué se da de baja?',
  whyTooMany: 'Demasiados correos',
  whyNotRelevant: 'No me interesan',
  whyNever: 'Nunca me suscribí',
  whyOther: 'Otro motivo',
  whyButton: 'Enviar',
  whyThanks: 'Gracias por su respuesta.',
  preferencesTitle: 'Preferencias de correo',
  preferences: 'Elija qué correos de «{book}» recibe en {email}.',
  preferencesNone: 'No hay temas para elegir.',
  saveButton: 'Guardar',
  savedTitle: 'Guardado',
};

const nl: PageTexts = {
  brokenTitle: 'Deze link werkt niet',
  broken:
    'De link is onvolledig of beschadigd. Open de e-mail opnieuw en klik daar op de link, of kopieer de hele link.',
  troubleTitle: 'Er is iets misgegaan',
  trouble: 'Er is niets gewijzigd. Probeer het over een ogenblik opnieuw.',
  leaveTitle: 'Afmelden?',
  leave: '{email} ontvangt dan geen e-mails meer van ‘{book}’.',
  leaveButton: 'Afmelden',
  leaveTopicTitle: 'Afmelden voor ‘{topic}’?',
  leaveTopic:
    '{email} ontvangt e-mails van ‘{book}’. U kunt zich afmelden voor dit onderwerp of voor alle e-mails.',
  leaveTopicButton: 'Afmelden voor ‘{topic}’',
  leaveAllButton: 'Afmelden voor alle e-mails',
  leftTitle: 'U bent afgemeld',
  left: 'U ontvangt deze e-mails niet meer. E-mails die al onderweg zijn, kunnen nog aankomen.',
  leftTopicTitle: 'U bent afgemeld voor dit onderwerp',
  leftTopic: 'U ontvangt hierover geen e-mails meer. E-mails die al onderweg zijn, kunnen nog aankomen.',
  preferencesLink: 'Voorkeuren beheren',
  confirmTitle: 'Bevestig uw aanmelding',
  confirm:
    'Klik op de knop om e-mails van ‘{book}’ te ontvangen op {email}. Hebt u zich niet aangemeld? Sluit dan deze pagina.',
  confirmButton: 'Ja, meld mij aan',
  confirmedTitle: 'Dank u wel',
  confirmed: '{email} is aangemeld voor ‘{book}’.',
  expiredTitle: 'Deze link is verlopen',
  expired: 'Bevestigingslinks zijn 7 dagen geldig. We kunnen een nieuwe link sturen naar {email}.',
  expiredButton: 'Nieuwe link sturen',
  sentTitle: 'Controleer uw inbox',
  sent: 'We hebben een nieuwe link gestuurd naar {email}. Het kan een paar minuten duren voordat hij aankomt.',
  notBackTitle: 'U hebt zich afgemeld',
  notBack: '{email} is afgemeld voor ‘{book}’. Wilt u weer e-mails ontvangen? Meld u dan opnieuw aan.',
  unsubscribed: '{email} is afgemeld voor ‘{book}’.',
  suppressed:
    '{email} ontvangt geen e-mails van ‘{book}’. Dit adres kan hier niet opnieuw worden aangemeld. Schrijf de afzender.',
  back: 'Was dit een vergissing? {email} kan opnieuw worden aangemeld.',
  backButton: 'Opnieuw aanmelden',
  why: 'Waarom meldt u zich af?',
  whyTooMany: 'Te veel e-mails',
  whyNotRelevant: 'Ze zijn voor mij niet interessant',
  whyNever: 'Ik heb me nooit aangemeld',
  whyOther: 'Een andere reden',
  whyButton: 'Versturen',
  whyThanks: 'Bedankt voor uw antwoord.',
  preferencesTitle: 'E-mailvoorkeuren',
  preferences: 'Kies welke e-mails van ‘{book}’ u ontvangt op {email}.',
  preferencesNone: 'Er zijn geen onderwerpen om uit te kiezen.',
  saveButton: 'Opslaan',
  savedTitle: 'Opgeslagen',
};

const LANGUAGES = { en, de, fr, es, nl };
export type Language = keyof typeof LANGUAGES;

export function textsIn(language: Language): PageTexts {
  return LANGUAGES[language];
}

/** Returns the supported language that the visitor prefers; English if there is none. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  return preferredLanguage(acceptLanguage, Object.keys(LANGUAGES) as Language[]) ?? 'en';
}
