import type { Catalogue } from '../../intl/translate.ts';

export const NOTICE_SENTENCES: Catalogue = {
  'The disk of the server is full. Nothing new is stored, and mail waits at its senders.':
    'Die Festplatte des Servers ist voll. Nichts Neues wird gespeichert, und E-Mails warten bei ihren Absendern.',
  'Links in emails lead to {}, which only opens on the server itself. Recipients cannot confirm or unsubscribe. The operator must set BASE_URL to the public URL of Posthorn.':
    'Links in E-Mails führen zu {1}, das sich nur auf dem Server selbst öffnet. Empfänger können weder bestätigen noch sich abmelden. Wer den Server betreibt, muss BASE_URL auf die öffentliche Adresse von Posthorn setzen.',
  'An email of an agent waits for your approval.': 'Eine E-Mail eines Agenten wartet auf Ihre Freigabe.',
  '{} emails of agents wait for your approval.': '{1} E-Mails von Agenten warten auf Ihre Freigabe.',
  'Your team uses {} % of its storage.': 'Ihr Team belegt {1} % seines Speichers.',
  'Your team has used all of its storage. New data is rejected, and mail for its mailboxes waits at its senders. Delete what you no longer need.':
    'Der Speicher Ihres Teams ist voll. Neue Daten werden abgewiesen, und E-Mails an seine Postfächer warten bei ihren Absendern. Löschen Sie, was Sie nicht mehr brauchen.',
  'The relay {} does not accept email: {}. Email is kept and retried.':
    'Das Relay {1} nimmt keine E-Mails an: {2}. Sie bleiben gespeichert und werden erneut gesendet.',
  'The campaign “{}” makes no progress.': 'Die Kampagne „{1}“ kommt nicht voran.',
  'The campaign “{}” was paused. {}': 'Die Kampagne „{1}“ wurde angehalten. {2}',
  'A person waits in the automation “{}” until a step is mended: {}.':
    'In der Automatisierung „{1}“ wartet eine Person, bis ein Schritt repariert ist: {2}.',
  '{} people wait in the automation “{}” until a step is mended: {}.':
    'In der Automatisierung „{2}“ warten {1} Personen, bis ein Schritt repariert ist: {3}.',
  'The step failed unexpectedly': 'Der Schritt ist unerwartet fehlgeschlagen',
  'The import into "{}" is stalled.': 'Der Import in „{1}“ kommt nicht voran.',
  'The verification of {} is stalled.': 'Die Verifizierung von {1} kommt nicht voran.',
  'Events are not being sent to the webhook {}.': 'Ereignisse werden nicht an den Webhook {1} gesendet.',
  'Deliveries to the webhook {} are failing: {}.': 'Zustellungen an den Webhook {1} schlagen fehl: {2}.',
  'the endpoint returned status {}': 'die Adresse antwortete mit Status {1}',
  'the endpoint did not respond in time': 'die Adresse antwortete nicht rechtzeitig',
  'the host name was not found': 'der Hostname wurde nicht gefunden',
  'could not connect to the endpoint': 'es kam keine Verbindung zustande',
  'the address is not public, which needs WEBHOOK_ALLOW_PRIVATE=true':
    'die Adresse ist nicht öffentlich, wofür WEBHOOK_ALLOW_PRIVATE=true nötig ist',
  'the TLS connection failed': 'die TLS-Verbindung kam nicht zustande',
  'the connection was closed': 'die Verbindung wurde geschlossen',
  'the response was not valid HTTP': 'die Antwort war kein gültiges HTTP',
  'the endpoint returned a redirect, and redirects are not followed':
    'die Adresse leitete weiter, und Weiterleitungen wird nicht gefolgt',
  'the endpoint returned an error': 'die Adresse antwortete mit einem Fehler',
  'the request could not be made because of an error on the server':
    'die Anfrage war wegen eines Fehlers auf dem Server nicht möglich',
  'Some events cannot be sent to the webhook {} because of an error on the server. The server log has the details.':
    'Einige Ereignisse können wegen eines Fehlers auf dem Server nicht an den Webhook {1} gesendet werden. Das Protokoll des Servers enthält Einzelheiten.',
  'Double opt-in confirmation emails are not being sent.':
    'Bestätigungs-E-Mails (Double Opt-in) werden nicht gesendet.',
  'A confirmation email could not be sent, and Posthorn has stopped trying. Add these pending contacts again to ask them once more.':
    'Eine Bestätigungs-E-Mail war nicht zustellbar, und Posthorn versucht es nicht weiter. Fügen Sie den wartenden Kontakt erneut hinzu, um noch einmal zu fragen.',
  '{} confirmation emails could not be sent, and Posthorn has stopped trying. Add these pending contacts again to ask them once more.':
    '{1} Bestätigungs-E-Mails waren nicht zustellbar, und Posthorn versucht es nicht weiter. Fügen Sie die wartenden Kontakte erneut hinzu, um noch einmal zu fragen.',
  '{} of {} delivered emails ({} %) were reported as spam {}.':
    '{1} von {2} zugestellten E-Mails ({3} %) wurden {4} als Spam gemeldet.',
  '{} of {} emails ({} %) bounced because their addresses do not exist {}.':
    '{1} von {2} E-Mails ({3} %) waren {4} unzustellbar, weil es die Adressen nicht gibt.',
  'of one campaign {}': 'bei einer Kampagne {1}',
  'in the last 24 hours': 'in den letzten 24 Stunden',
  'among the last 1,000 delivered emails': 'unter den letzten 1.000 zugestellten E-Mails',
  'since the brake was released': 'seit dem Lösen der Bremse',
  'The brake of {} is on: {} Campaigns and marketing emails of automations wait until someone releases it.':
    'Die Bremse von {1} ist gezogen: {2} Kampagnen und Werbe-E-Mails von Automatisierungen warten, bis jemand sie löst.',
  'The brake of {} stopped it: {} Resume the campaign once the brake is released.':
    'Die Bremse von {1} hat sie angehalten: {2} Setzen Sie die Kampagne fort, sobald die Bremse gelöst ist.',
  '{} comes close to its brake: {} Check where these addresses come from.':
    '{1} nähert sich der Bremse: {2} Prüfen Sie, woher diese Adressen stammen.',
  'Links in emails do not use {}, and have the host of this server meanwhile: {}':
    'Links in E-Mails verwenden {1} nicht und haben solange den Host dieses Servers: {2}',
  'The certificate of {} ends on {} and could not be renewed: {}.':
    'Das Zertifikat von {1} endet am {2} und konnte nicht erneuert werden: {3}.',
  '{} is on the blocklist {}, so servers that use it reject your mail. Find out why, then ask the list to remove it.':
    '{1} steht auf der Sperrliste {2}. Server, die sie verwenden, weisen Ihre E-Mails ab. Finden Sie den Grund heraus und bitten Sie die Liste dann um Streichung.',
  'The certificate of this server ends on {}. Email apps and other servers then refuse to connect. The operator must renew it.':
    'Das Zertifikat dieses Servers endet am {1}. E-Mail-Apps und andere Server verbinden sich danach nicht mehr. Wer den Server betreibt, muss es erneuern.',
};
