/** The default texts of sign-up forms in every language of the public pages. The page fills in `{…}`. */
import type { FormLanguage } from './forms.schema.ts';

interface FormTexts {
  email: string;
  optional: string;
  title: string;
  button: string;
  thankYouTitle: string;
  /** For a book with double opt-in. */
  confirmByMail: string;
  /** For a book without double opt-in. The second sentence is for people who unsubscribed, who have to confirm. */
  subscribed: string;
  /** The name of the button that closes a pop-up. */
  close: string;
  /** The label of the field that people do not see. */
  leaveEmpty: string;
  required: string;
  invalidEmail: string;
  tooLong: string;
  unreadable: string;
  expired: string;
  tooMany: string;
  goneTitle: string;
  gone: string;
}

const en: FormTexts = {
  email: 'Email address',
  optional: 'optional',
  title: 'Subscribe to “{book}”',
  button: 'Subscribe',
  thankYouTitle: 'Thank you',
  confirmByMail: 'Please check your inbox and confirm your subscription with the link in our email.',
  subscribed:
    'You have signed up. If you unsubscribed in the past, please confirm your subscription with the link in our email.',
  close: 'Close',
  leaveEmpty: 'Leave this field empty',
  required: 'Please fill in this field.',
  invalidEmail: 'Please enter a valid email address.',
  tooLong: 'This text is too long.',
  unreadable: 'The form could not be read. Please reload the page and try again.',
  expired: 'This page was open for too long. Please click the button again.',
  tooMany: 'There were too many sign-ups. Please try again in a few minutes.',
  goneTitle: 'This form does not exist',
  gone: 'It may have been removed, or the link is incomplete.',
};

const de: FormTexts = {
  email: 'E-Mail-Adresse',
  optional: 'optional',
  title: '„{book}“ abonnieren',
  button: 'Abonnieren',
  thankYouTitle: 'Vielen Dank',
  confirmByMail:
    'Bitte sehen Sie in Ihrem Posteingang nach und bestätigen Sie die Anmeldung mit dem Link in unserer E-Mail.',
  subscribed:
    'Sie haben sich angemeldet. Falls Sie sich früher einmal abgemeldet haben, bestätigen Sie die Anmeldung bitte mit dem Link in unserer E-Mail.',
  close: 'Schließen',
  leaveEmpty: 'Dieses Feld leer lassen',
  required: 'Bitte füllen Sie dieses Feld aus.',
  invalidEmail: 'Bitte geben Sie eine gültige E-Mail-Adresse ein.',
  tooLong: 'Dieser Text ist zu lang.',
  unreadable:
    'Das Formular konnte nicht gelesen werden. Bitte laden Sie die Seite neu und versuchen Sie es noch einmal.',
  expired: 'Die Seite war zu lange geöffnet. Bitte klicken Sie noch einmal auf die Schaltfläche.',
  tooMany: 'Es gab zu viele Anmeldungen. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  goneTitle: 'Dieses Formular gibt es nicht',
  gone: 'Vielleicht wurde es gelöscht, oder der Link ist unvollständig.',
};

const fr: FormTexts = {
  email: 'Adresse e-mail',
  optional: 'facultatif',
  title: 'S’abonner à « {book} »',
  button: 'S’abonner',
  thankYouTitle: 'Merci',
  confirmByMail:
    'Consultez votre boîte de réception et confirmez votre abonnement avec le lien contenu dans notre e-mail.',
  subscribed:
    'Votre inscription est enregistrée. En cas de désabonnement antérieur, confirmez votre abonnement avec le lien contenu dans notre e-mail.',
  close: 'Fermer',
  leaveEmpty: 'Laissez ce champ vide',
  required: 'Veuillez remplir ce champ.',
  invalidEmail: 'Veuillez saisir une adresse e-mail valide.',
  tooLong: 'Ce texte est trop long.',
  unreadable: 'Le formulaire n’a pas pu être lu. Veuillez recharger la page et réessayer.',
  expired: 'Cette page est restée ouverte trop longtemps. Veuillez cliquer de nouveau sur le bouton.',
  tooMany: 'Il y a eu trop d’inscriptions. Veuillez réessayer dans quelques minutes.',
  goneTitle: 'Ce formulaire n’existe pas',
  gone: 'Il a peut-être été supprimé, ou le lien est incomplet.',
};

const es: FormTexts = {
  email: 'Correo electrónico',
  optional: 'opcional',
  title: 'Suscribirse a «{book}»',
  button: 'Suscribirme',
  thankYouTitle: 'Gracias',
  confirmByMail: 'Revise su bandeja de entrada y confirme su suscripción con el enlace de nuestro correo.',
  subscribed:
    'Se ha suscrito. Si se había dado de baja anteriormente, confirme su suscripción con el enlace de nuestro correo.',
  close: 'Cerrar',
  leaveEmpty: 'Deje este campo vacío',
  required: 'Rellene este campo.',
  invalidEmail: 'Introduzca una dirección de correo válida.',
  tooLong: 'Este texto es demasiado largo.',
  unreadable: 'No se ha podido leer el formulario. Recargue la página e inténtelo de nuevo.',
  expired: 'La página ha estado abierta demasiado tiempo. Haga clic de nuevo en el botón.',
  tooMany: 'Ha habido demasiadas suscripciones. Inténtelo de nuevo en unos minutos.',
  goneTitle: 'Este formulario no existe',
  gone: 'Puede que se haya eliminado, o que el enlace esté incompleto.',
};

const nl: FormTexts = {
  email: 'E-mailadres',
  optional: 'optioneel',
  title: 'Aanmelden voor ‘{book}’',
  button: 'Aanmelden',
  thankYouTitle: 'Dank u wel',
  confirmByMail: 'Controleer uw inbox en bevestig uw aanmelding met de link in onze e-mail.',
  subscribed:
    'U hebt zich aangemeld. Als u zich eerder hebt afgemeld, bevestig uw aanmelding dan met de link in onze e-mail.',
  close: 'Sluiten',
  leaveEmpty: 'Laat dit veld leeg',
  required: 'Vul dit veld in.',
  invalidEmail: 'Vul een geldig e-mailadres in.',
  tooLong: 'Deze tekst is te lang.',
  unreadable: 'Het formulier kon niet worden gelezen. Laad de pagina opnieuw en probeer het nog eens.',
  expired: 'De pagina stond te lang open. Klik nog een keer op de knop.',
  tooMany: 'Er waren te veel aanmeldingen. Probeer het over een paar minuten opnieuw.',
  goneTitle: 'Dit formulier bestaat niet',
  gone: 'Misschien is het verwijderd, of de link is onvolledig.',
};

const LANGUAGES: Record<FormLanguage, FormTexts> = { en, de, fr, es, nl };

export function formTextsIn(language: FormLanguage): FormTexts {
  return LANGUAGES[language];
}
