import type { Catalogue } from '../../intl/translate.ts';

/** What is wrong with a field. It is shown below the field, or follows its name. */
const FIELDS: Catalogue = {
  'is required': 'fehlt',
  'must not be empty': 'darf nicht leer sein',
  'must have at most {} characters': 'darf höchstens {1} Zeichen haben',
  'must have at least {} characters': 'muss mindestens {1} Zeichen haben',
  'must have at most {} items': 'darf höchstens {1} Einträge haben',
  'must have at most {} addresses': 'darf höchstens {1} Adressen haben',
  'must have at most {} addresses together with cc and bcc':
    'darf mit Kopie und Blindkopie höchstens {1} Adressen haben',
  'must have at most {} links': 'darf höchstens {1} Links haben',
  'must have at most {} merge tags': 'darf höchstens {1} Platzhalter haben',
  'must have at most {} languages': 'darf höchstens {1} Sprachen haben',
  'must have at most {} characters after it was sanitized':
    'darf nach der Bereinigung höchstens {1} Zeichen haben',
  'must be at most {} bytes as JSON': 'darf als JSON höchstens {1} Bytes haben',
  'must have 1 to {} addresses': 'muss 1 bis {1} Adressen haben',
  'must be at least {}': 'muss mindestens {1} sein',
  'must be at most {}': 'darf höchstens {1} sein',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be a valid email address': 'muss eine gültige E-Mail-Adresse sein',
  'must be an email address or a domain': 'muss eine E-Mail-Adresse oder Domain sein',
  'must be an email address, such as Name <user@example.com>':
    'muss eine E-Mail-Adresse sein, zum Beispiel Name <user@example.com>',
  'must be an email address, such as ada@example.com or Ada <ada@example.com>':
    'muss eine E-Mail-Adresse sein, zum Beispiel ada@example.com oder Ada <ada@example.com>',
  'must be a domain': 'muss eine Domain sein',
  'must be a registrable domain or a subdomain of one, such as example.com or mail.example.com':
    'muss eine Domain oder Subdomain sein, zum Beispiel example.com oder mail.example.com',
  'must be a URL that starts with https://': 'muss eine Adresse sein, die mit https:// beginnt',
  'must be a URL that starts with https:// or http://':
    'muss eine Adresse sein, die mit https:// oder http:// beginnt',
  'must be an http or https URL': 'muss eine Adresse sein, die mit https:// oder http:// beginnt',
  'must be a time of day, such as 09:00': 'muss eine Uhrzeit sein, zum Beispiel 09:00',
  'must be a date, such as 2026-11-15': 'muss ein Datum sein, zum Beispiel 2026-11-15',
  'must be a date and time without a UTC offset, such as 2026-11-15T09:00':
    'muss Datum und Uhrzeit ohne Zeitzone sein, zum Beispiel 2026-11-15T09:00',
  'must be a date-time with a UTC offset, such as 2026-11-15T09:30:00Z':
    'muss Datum und Uhrzeit mit Zeitzone sein, zum Beispiel 2026-11-15T09:30:00Z',
  'must be at least one minute from now and within one year':
    'muss mindestens eine Minute und höchstens ein Jahr in der Zukunft liegen',
  'must be a duration, such as 3 days': 'muss eine Dauer sein, zum Beispiel „3 days“',
  'must be a colour, such as #102030': 'muss eine Farbe sein, zum Beispiel #102030',
  'must be a colour, such as #1a2b3c': 'muss eine Farbe sein, zum Beispiel #1a2b3c',
  'must be a colour such as #1a73e8': 'muss eine Farbe sein, zum Beispiel #1a73e8',
  'must be a BCP 47 tag, such as de or pt-BR': 'muss ein Sprachkürzel sein, zum Beispiel de oder pt-BR',
  'must be an IP address, or a network such as 192.0.2.0/24':
    'muss eine IP-Adresse oder ein Netz sein, zum Beispiel 192.0.2.0/24',
  'must be a label of 1 to 63 characters of a-z, 0-9 and -, such as links':
    'muss 1 bis 63 Zeichen aus a-z, 0-9 und - haben, zum Beispiel links',
  'must have 1 to 64 characters of A-Z a-z 0-9 _ and -, and not start with tpl_':
    'muss 1 bis 64 Zeichen aus A-Z a-z 0-9 _ und - haben und darf nicht mit tpl_ beginnen',
  'must start with a letter and have at most 64 letters, digits and underscores':
    'muss mit einem Buchstaben beginnen und darf höchstens 64 Buchstaben, Ziffern und Unterstriche haben',
  'must have 1 to 100 characters of a-z, 0-9, _, . and -, and begin with a letter':
    'muss 1 bis 100 Zeichen aus a-z, 0-9, _, . und - haben und mit einem Buchstaben beginnen',
  'must be the name of an event, such as order.placed or contact.created':
    'muss der Name eines Ereignisses sein, zum Beispiel order.placed oder contact.created',
  'must be the name of a header': 'muss der Name eines Headers sein',
  'must be the value of a header': 'muss der Wert eines Headers sein',
  'must not contain duplicates': 'darf nichts doppelt enthalten',
  'must not contain duplicate topics': 'darf kein Thema doppelt enthalten',
  'must not contain line breaks or other control characters':
    'darf keine Zeilenumbrüche und anderen Steuerzeichen enthalten',
  'must not contain NUL characters or unpaired surrogates':
    'enthält Zeichen, die nicht gespeichert werden können',
  'must not contain a user name or password': 'darf weder Benutzernamen noch Passwort enthalten',
  'must not be before from': 'darf nicht vor dem Anfang liegen',
  'must not be more than maxItems': 'darf nicht größer als die Höchstzahl sein',
  'must not be larger than 25 MiB in total': 'dürfen zusammen höchstens 25 MiB groß sein',
  'must not make the email larger than {} MiB in total': 'dürfen die E-Mail nicht größer als {1} MiB machen',
  'must not map two columns to the same field': 'darf nicht zwei Spalten demselben Feld zuordnen',
  'must not name a person twice': 'darf niemanden zweimal nennen',
  'must begin and end at different times': 'müssen sich unterscheiden',
  'must contain text': 'muss Text enthalten',
  'must be later than the start': 'muss nach dem Anfang liegen',
  'must be later than the message is sent': 'muss nach dem Senden der Nachricht liegen',
  'must be a person with access to the mailbox': 'muss eine Person mit Zugriff auf das Postfach sein',
  'must be people with access to the mailbox': 'müssen Personen mit Zugriff auf das Postfach sein',
  'must be a person of your team': 'muss eine Person Ihres Teams sein',
  'must be an address of the mailbox': 'muss eine Adresse des Postfachs sein',
  'must be a saved reply of this mailbox': 'muss eine Antwortvorlage dieses Postfachs sein',
  'can assign only to people with access to the mailbox':
    'kann nur Personen mit Zugriff auf das Postfach zuweisen',
  'must not point to this server or a private network. The operator of the server can allow it with WEBHOOK_ALLOW_PRIVATE=true':
    'darf weder zu diesem Server noch in ein privates Netz führen. Wer den Server betreibt, kann es mit WEBHOOK_ALLOW_PRIVATE=true erlauben',
  'must have at least 1 step': 'muss mindestens einen Schritt haben',
  'must have at least 2 shares, one of them above 0':
    'muss mindestens zwei Anteile haben, davon einen über 0',
  'is required without a template': 'fehlt, denn es ist keine Vorlage gewählt',
  'is required for a digest': 'fehlt, eine Sammelausgabe braucht ihn',
  'is required for an agent': 'fehlt, ein Agent braucht sie',
  'is required to set a new password': 'wird für ein neues Passwort gebraucht',
  'is a built-in field of every contact': 'hat jeder Kontakt schon als festes Feld',
  'is too easy to guess; choose another': 'ist zu leicht zu erraten; wählen Sie ein anderes',
  'is incorrect; check that the clock of your device is right':
    'stimmt nicht; prüfen Sie, ob die Uhr Ihres Geräts richtig geht',
  'is required because this account uses two-factor authentication':
    'fehlt, denn dieses Konto verwendet die Zwei-Faktor-Anmeldung',
  'is not a segment of the contact book of the automation':
    'ist kein Segment der Kontaktliste der Automatisierung',
  'cannot be combined with localTime': 'geht nicht zusammen mit der Ortszeit der Empfänger',
  'cannot be combined with an A/B test': 'geht nicht zusammen mit einem A/B-Test',
  'or content is required': 'fehlt',
  'or html or content is required': 'oder ein eigener Inhalt fehlt',
  'must have its own subject, from, previewText, html or content':
    'muss einen eigenen Betreff, Absender, Vorschautext oder Inhalt haben',
  'has no OpenID Connect configuration that can be read: {}':
    'hat keine lesbare OpenID-Connect-Konfiguration: {1}',
  'line {}, column {}: {}': 'Zeile {1}, Spalte {2}: {3}',
  '{} is not closed with {}': '{1} wird nicht mit {2} geschlossen',
  '{} is not a known tag. Use {}': '{1} ist unbekannt. Möglich sind {2}',
  '{} has no beginning': '{1} hat keinen Anfang',
  'the tag is not closed with %}': 'die Anweisung wird nicht mit %} geschlossen',
  'a condition is missing': 'eine Bedingung fehlt',
  'a value is missing in the condition': 'in der Bedingung fehlt ein Wert',
  'a value is missing after {}': 'nach {1} fehlt ein Wert',
  'a loop has at most 1000 items': 'eine Schleife hat höchstens 1000 Durchgänge',
  'a loop is written as {% for item in event.items limit: 20 %}':
    'eine Schleife schreibt man als {% for item in event.items limit: 20 %}',
};

const NAMES: Catalogue = {
  '{} not found': '{1} nicht gefunden',
  'API key': 'API-Schlüssel',
  Address: 'Adresse',
  'App password': 'App-Passwort',
  Approval: 'Freigabe',
  Attachment: 'Anhang',
  Automation: 'Automatisierung',
  BlockedSender: 'Blockierter Absender',
  Call: 'Aufruf',
  Campaign: 'Kampagne',
  'Contact book': 'Kontaktliste',
  Contact: 'Kontakt',
  Delivery: 'Zustellung',
  Draft: 'Entwurf',
  Email: 'E-Mail',
  'Event definition': 'Ereignis',
  File: 'Datei',
  Folder: 'Ordner',
  Form: 'Formular',
  Image: 'Bild',
  Invitation: 'Einladung',
  Mailbox: 'Postfach',
  Member: 'Mitglied',
  Message: 'Nachricht',
  Note: 'Notiz',
  Rule: 'Regel',
  Run: 'Durchlauf',
  'Saved reply': 'Antwortvorlage',
  'Send policy': 'Senderichtlinie',
  Signature: 'Signatur',
  Suppression: 'Gesperrte Adresse',
  Template: 'Vorlage',
  Thread: 'Unterhaltung',
  Topic: 'Thema',
  User: 'Konto',
  'Waiting message': 'Geplante Nachricht',
  'log entry': 'Protokolleintrag',
};

const ACCOUNT: Catalogue = {
  'The email address or password is incorrect.': 'E-Mail-Adresse oder Passwort stimmt nicht.',
  'The code is incorrect or was already used.': 'Der Code stimmt nicht oder wurde schon verwendet.',
  'This link has expired or was already used. Ask for a new one.':
    'Dieser Link ist abgelaufen oder wurde schon verwendet. Fordern Sie einen neuen an.',
  'Your session has expired. Sign in again.': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'Only owners and admins can do this.': 'Das können nur Inhaber und Admins.',
  'Only owners can do this.': 'Das können nur Inhaber.',
  'Only owners can manage owners.': 'Nur Inhaber können Inhaber verwalten.',
  'A team needs at least one owner. Make someone else an owner first.':
    'Ein Team braucht mindestens einen Inhaber. Machen Sie zuerst jemand anderen dazu.',
  'This address is already in the team.': 'Diese Adresse gehört schon zum Team.',
  'This address is already in the team. Sign in instead.':
    'Diese Adresse gehört schon zum Team. Melden Sie sich an.',
  'Two-factor authentication is already on. Turn it off first.':
    'Die Zwei-Faktor-Anmeldung ist schon eingeschaltet. Schalten Sie sie zuerst aus.',
  'Recovery codes need an authenticator app or a passkey. Add one first.':
    'Wiederherstellungscodes brauchen eine Authenticator-App oder einen Passkey. Fügen Sie zuerst einen hinzu.',
  'This passkey is registered already.': 'Dieser Passkey ist schon registriert.',
  'A person can have at most {} passkeys. Delete one first.':
    'Eine Person kann höchstens {1} Passkeys haben. Löschen Sie zuerst einen.',
  'Passkeys do not work at the address of this server. They need https and a host name in BASE_URL.':
    'Passkeys funktionieren unter der Adresse dieses Servers nicht. Sie brauchen https und einen Hostnamen in BASE_URL.',
  'Too many attempts to sign in at the same time. Try again in a moment.':
    'Zu viele Anmeldeversuche zugleich. Versuchen Sie es gleich noch einmal.',
  '{} Try again in {}.': '{1} Versuchen Sie es in {2} noch einmal.',
  'Too many failed attempts.': 'Zu viele Fehlversuche.',
  'Too many requests.': 'Zu viele Anfragen.',
  'Too many invitations.': 'Zu viele Einladungen.',
  '1 minute': 'einer Minute',
  '{} minutes': '{1} Minuten',
  'You are not allowed to {}.': 'Sie dürfen {1}.',
  'see this mailbox': 'dieses Postfach nicht sehen',
  'read this mailbox': 'dieses Postfach nicht lesen',
  'write drafts in this mailbox': 'in diesem Postfach keine Entwürfe schreiben',
  'send, move or delete in this mailbox': 'in diesem Postfach nichts senden, verschieben oder löschen',
  'manage this mailbox': 'dieses Postfach nicht verwalten',
  'change the settings of this mailbox': 'die Einstellungen dieses Postfachs nicht ändern',
  'Your team has reached the limit of {}. Delete one first, or ask the operator of this server to raise TEAM_LIMITS.':
    'Ihr Team hat die Grenze erreicht ({1}). Löschen Sie zuerst etwas, oder bitten Sie den Betreiber, TEAM_LIMITS zu erhöhen.',
  'The database is not available right now. Try again in a moment.':
    'Die Datenbank ist gerade nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  'The server is processing too many large requests. Try again after the time in Retry-After.':
    'Der Server bearbeitet zu viele große Anfragen. Versuchen Sie es gleich noch einmal.',
  'Internal server error. Try again. The server log has the details.':
    'Fehler auf dem Server. Versuchen Sie es noch einmal. Das Protokoll des Servers enthält Einzelheiten.',
  'Your team has made too many requests. Wait for the time in Retry-After, then try again.':
    'Ihr Team hat zu viele Anfragen gestellt. Warten Sie kurz und versuchen Sie es dann noch einmal.',
  'The request body is too large. The limit is {} bytes.': 'Das ist zu groß. Die Grenze sind {1} Bytes.',
  'The file is too large. The limit is {} bytes.': 'Die Datei ist zu groß. Die Grenze sind {1} Bytes.',
  'The file is empty.': 'Die Datei ist leer.',
};

const SENDING: Catalogue = {
  'Your team already has the domain {}.': 'Ihr Team hat die Domain {1} schon.',
  'from must use a domain that your team has verified; {} is not one.':
    'Der Absender braucht eine Domain, die Ihr Team verifiziert hat. {1} ist keine.',
  '{} must use a verified domain of your team. {} is not verified.':
    '„{1}“ braucht eine verifizierte Domain Ihres Teams. {2} ist nicht verifiziert.',
  'This email has already been handed to delivery.': 'Diese E-Mail wurde schon zur Zustellung übergeben.',
  'This message has already been sent.': 'Diese Nachricht wurde schon gesendet.',
  'This email was cancelled.': 'Diese E-Mail wurde abgebrochen.',
  'This email no longer waits.': 'Diese E-Mail wartet nicht mehr.',
  'This email waits for the approval of a person.': 'Diese E-Mail wartet auf eine Freigabe.',
  'This message waits for the approval of a person.': 'Diese Nachricht wartet auf eine Freigabe.',
  'This approval has expired.': 'Diese Freigabe ist abgelaufen.',
  'The content of this email was deleted.': 'Der Inhalt dieser E-Mail wurde gelöscht.',
  'This email is still being sent to at least one recipient. Try again when it has been delivered or has failed.':
    'Diese E-Mail wird noch an mindestens einen Empfänger gesendet. Versuchen Sie es, wenn sie zugestellt oder gescheitert ist.',
  'scheduledAt must not be in the past.': 'Die Zeit darf nicht in der Vergangenheit liegen.',
  'scheduledAt is not a valid time.': 'Das ist keine gültige Zeit.',
  'This campaign has already been sent.': 'Diese Kampagne wurde schon gesendet.',
  'This campaign is already running.': 'Diese Kampagne wird schon gesendet.',
  'A DRAFT campaign cannot be paused.': 'Ein Entwurf kann nicht angehalten werden.',
  'A RUNNING campaign cannot be deleted. Pause it first.':
    'Eine laufende Kampagne kann nicht gelöscht werden. Halten Sie sie zuerst an.',
  'A RUNNING campaign cannot be {}.': 'Eine laufende Kampagne kann nicht geändert werden.',
  'Part of this campaign has already been sent, so its localTime cannot be changed.':
    'Ein Teil dieser Kampagne wurde schon gesendet, deshalb bleibt die Ortszeit.',
  'Part of this campaign has already been sent, so its bestHour cannot be changed.':
    'Ein Teil dieser Kampagne wurde schon gesendet, deshalb bleibt die beste Stunde.',
  'This campaign has no recipients. Its audience contains no subscribed contacts.':
    'Diese Kampagne hat keine Empfänger: Niemand aus ihrem Kreis ist angemeldet.',
  'The sending domain is no longer verified.': 'Die Absenderdomain ist nicht mehr verifiziert.',
  'The contact book was deleted.': 'Die Kontaktliste wurde gelöscht.',
  'A segment of this campaign was deleted.': 'Ein Segment dieser Kampagne wurde gelöscht.',
  'The topic was deleted.': 'Das Thema wurde gelöscht.',
  'The brake of {} is on. Release it on the page of the domain first.':
    'Die Bremse von {1} ist gezogen. Lösen Sie sie zuerst auf der Seite der Domain.',
  'The brake of this domain is not on.': 'Die Bremse dieser Domain ist nicht gezogen.',
  'localTime has passed in every time zone.': 'Diese Ortszeit ist in allen Zeitzonen vorbei.',
  'html or content is required.': 'Der Inhalt fehlt.',
  'subject is required because the template has none.': 'Der Betreff fehlt, denn die Vorlage hat keinen.',
  'The content of this campaign was changed in the meantime. Load it again and repeat your change.':
    'Der Inhalt dieser Kampagne wurde inzwischen geändert. Laden Sie sie neu und wiederholen Sie Ihre Änderung.',
  'The content of this template was changed in the meantime. Load it again and repeat your change.':
    'Der Inhalt dieser Vorlage wurde inzwischen geändert. Laden Sie sie neu und wiederholen Sie Ihre Änderung.',
  'No contact has a value for these merge tags: {}. Correct the tags, add them to the variables of the contact book, or give them a fallback.':
    'Kein Kontakt hat einen Wert für diese Platzhalter: {1}. Korrigieren Sie sie, nehmen Sie sie in die Variablen der Kontaktliste auf oder geben Sie einen Ersatztext an.',
  'minItems must not be more than maxItems.': 'Die Mindestzahl darf nicht größer als die Höchstzahl sein.',
  'This webhook is {}. Resume it first.': 'Dieser Webhook ist nicht aktiv. Setzen Sie ihn zuerst fort.',
};

const AUDIENCE: Catalogue = {
  'Another contact in this book already has this email address.':
    'Ein anderer Kontakt dieser Liste hat diese E-Mail-Adresse schon.',
  'A campaign is being sent to this contact book. Pause the campaign first.':
    'An diese Kontaktliste wird gerade eine Kampagne gesendet. Halten Sie die Kampagne zuerst an.',
  'The segment “{}” uses this topic. Change or delete the segment first.':
    'Das Segment „{1}“ verwendet dieses Thema. Ändern oder löschen Sie zuerst das Segment.',
  'This import has already finished.': 'Dieser Import ist schon fertig.',
  'The file is empty. Send the CSV file as the request body.': 'Die Datei ist leer.',
  'doubleOptInContent must contain the confirmation link {{doubleOptInUrl}}.':
    'Die Bestätigungs-E-Mail muss den Link {{doubleOptInUrl}} enthalten.',
  'consent cannot be "ask" because double opt-in is off for this contact book.':
    'Nachfragen geht nicht, weil Double Opt-in für diese Kontaktliste ausgeschaltet ist.',
  'Only a live automation can be paused. This one is DRAFT.':
    'Nur eine laufende Automatisierung kann angehalten werden. Diese ist ein Entwurf.',
  'Only a live automation can be closed. This one is DRAFT.':
    'Nur eine laufende Automatisierung kann geschlossen werden. Diese ist ein Entwurf.',
  'Only a live automation can be published. Activate this one.':
    'Nur eine laufende Automatisierung kann veröffentlicht werden. Aktivieren Sie diese.',
  'Someone else has changed this automation in the meantime.':
    'Jemand anderes hat diese Automatisierung inzwischen geändert.',
  'There are no changes to publish.': 'Es gibt keine Änderungen zu veröffentlichen.',
  'A team can have at most {} automations. Delete one first.':
    'Ein Team kann höchstens {1} Automatisierungen haben. Löschen Sie zuerst eine.',
};

const MAIL: Catalogue = {
  'A mailbox with this address already exists.': 'Ein Postfach mit dieser Adresse gibt es schon.',
  'A folder named {} already exists.': 'Einen Ordner namens {1} gibt es schon.',
  'A label named {} already exists.': 'Ein Label namens {1} gibt es schon.',
  'The folder {} cannot be renamed.': 'Der Ordner {1} kann nicht umbenannt werden.',
  'The folder {} cannot be deleted.': 'Der Ordner {1} kann nicht gelöscht werden.',
  'A folder cannot be moved into itself.': 'Ein Ordner kann nicht in sich selbst verschoben werden.',
  'A mailbox can have at most {} folders. Delete one first.':
    'Ein Postfach kann höchstens {1} Ordner haben. Löschen Sie zuerst einen.',
  'A thread cannot be merged into itself.':
    'Eine Unterhaltung kann nicht mit sich selbst zusammengeführt werden.',
  'A thread cannot be split at its first message. Choose a later one.':
    'Eine Unterhaltung kann nicht an ihrer ersten Nachricht geteilt werden. Wählen Sie eine spätere.',
  'Only threads of the same mailbox can be merged.':
    'Nur Unterhaltungen desselben Postfachs können zusammengeführt werden.',
  'Only threads in the trash can be deleted. Move the thread to the trash first.':
    'Nur Unterhaltungen im Papierkorb können gelöscht werden. Verschieben Sie sie zuerst dorthin.',
  'A thread that has only drafts, or is in the trash or spam, cannot be snoozed.':
    'Eine Unterhaltung, die nur Entwürfe hat oder in Papierkorb oder Spam liegt, kann nicht zurückgestellt werden.',
  'The thread has messages that you have not seen.':
    'Die Unterhaltung hat Nachrichten, die Sie noch nicht gesehen haben.',
  'send_at must be at least one minute from now and within one year.':
    'Die Zeit muss mindestens eine Minute und höchstens ein Jahr in der Zukunft liegen.',
  'The draft was changed elsewhere in the meantime. Reload it before you save.':
    'Der Entwurf wurde inzwischen anderswo geändert. Laden Sie ihn neu, bevor Sie speichern.',
  'This draft belongs to {}. Take it over to change it.':
    'Dieser Entwurf gehört {1}. Übernehmen Sie ihn, um ihn zu ändern.',
  'A draft can have at most {} files.': 'Ein Entwurf kann höchstens {1} Dateien haben.',
  'Attachments can be at most 25 MiB in total.': 'Anhänge können zusammen höchstens 25 MiB groß sein.',
  'The rule is already being applied.': 'Die Regel wird schon angewendet.',
  'Only the author of a note can change or delete it.':
    'Nur wer eine Notiz geschrieben hat, kann sie ändern oder löschen.',
  '“{}:” must be followed by a date, such as {}.': 'Nach „{1}:“ muss ein Datum stehen, zum Beispiel {2}.',
  '“{}:” must be followed by a size, such as {}.': 'Nach „{1}:“ muss eine Größe stehen, zum Beispiel {2}.',
  '“is:” must be followed by unread, read, starred or muted.':
    'Nach „is:“ muss unread, read, starred oder muted stehen.',
  '“has:” must be followed by attachment.': 'Nach „has:“ muss attachment stehen.',
};

const POLICIES: Catalogue = {
  'This key may only write drafts. A person sends them.':
    'Dieser Schlüssel darf nur Entwürfe schreiben. Eine Person sendet sie.',
  'A person approves every email of this key.': 'Eine Person gibt jede E-Mail dieses Schlüssels frei.',
  'A person approves emails to people whom the mailbox has neither written to nor heard from.':
    'Eine Person gibt E-Mails an Personen frei, mit denen das Postfach noch keinen Kontakt hatte.',
  'A thread gets at most {} emails of agents without a person between. A person must approve the next one.':
    'Eine Unterhaltung bekommt höchstens {1} E-Mails von Agenten, ohne dass eine Person dazwischen schreibt. Die nächste muss eine Person freigeben.',
  'This key has read what an outsider wrote in the last 24 hours, so {}':
    'Dieser Schlüssel hat in den letzten 24 Stunden gelesen, was Außenstehende geschrieben haben. {1}',
  'a person approves its emails outside of that thread.':
    'Deshalb gibt eine Person seine E-Mails außerhalb dieser Unterhaltung frei.',
  'a person approves its emails to people who were not in that thread.':
    'Deshalb gibt eine Person seine E-Mails an Personen frei, die nicht in dieser Unterhaltung waren.',
  'a person approves its emails with files that did not come from you.':
    'Deshalb gibt eine Person seine E-Mails mit Dateien frei, die nicht von Ihnen stammen.',
  'a person approves its emails with links that did not come from you.':
    'Deshalb gibt eine Person seine E-Mails mit Links frei, die nicht von Ihnen stammen.',
};

export const ERROR_SENTENCES: Catalogue = {
  ...ACCOUNT,
  ...SENDING,
  ...AUDIENCE,
  ...MAIL,
  ...POLICIES,
  ...FIELDS,
  ...NAMES,
};
