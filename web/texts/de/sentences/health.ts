import type { Catalogue } from '../../intl/translate.ts';

const CHECKS: Catalogue = {
  'This was not known after {} s. Look again later.':
    'Nach {1} s war das nicht bekannt. Sehen Sie später noch einmal nach.',
  '{} exists in no public DNS. The sandbox trusts it without records.':
    '{1} steht in keinem öffentlichen DNS. Die Sandbox vertraut der Domain ohne Einträge.',
  'The DNS server did not respond ({}), so this is not known. Look again later.':
    'Der DNS-Server hat nicht geantwortet ({1}), deshalb ist das nicht bekannt. Sehen Sie später noch einmal nach.',
  'Posthorn does not sign (DKIM_SIGN is false). The relay must sign with this domain.':
    'Posthorn signiert nicht (DKIM_SIGN ist false). Das Relay muss mit dieser Domain signieren.',
  'The TXT record {} is missing, so receivers cannot check the signature of this domain.{} Create the record.':
    'Der TXT-Eintrag {1} fehlt, deshalb können Empfänger die Signatur dieser Domain nicht prüfen.{2} Legen Sie den Eintrag an.',
  ' It is an alias of {}, which has no key.': ' Er ist ein Alias von {1}, wo kein Schlüssel steht.',
  'The TXT record {} has another key, so signatures of this domain fail. Replace its value.':
    'Der TXT-Eintrag {1} hat einen anderen Schlüssel, deshalb sind Signaturen dieser Domain ungültig. Ersetzen Sie seinen Wert.',
  'The TXT record {} says that DKIM is only tested (t=y). Remove t=y.':
    'Der TXT-Eintrag {1} sagt, dass DKIM nur getestet wird (t=y). Entfernen Sie t=y.',
  'Receivers can check the signature of this domain.': 'Empfänger können die Signatur dieser Domain prüfen.',
  'The MX record of {} {}, so bounces do not come back. Let it lead to {}.':
    'Der MX-Eintrag von {1} {2}, deshalb kommen Unzustellbarkeitsmeldungen nicht zurück. Er muss auf {3} zeigen.',
  'is missing': 'fehlt',
  'leads to {}': 'zeigt auf {1}',
  'Bounces come back to this server.': 'Unzustellbarkeitsmeldungen kommen zu diesem Server zurück.',
  'Mail to {} arrives at another server. That is fine if its mailboxes are there.':
    'E-Mails an {1} kommen auf einem anderen Server an. Das ist richtig, wenn dort die Postfächer sind.',
  'Mail to {} arrives here.': 'E-Mails an {1} kommen hier an.',
  '{} says that it takes no mail (null MX), and some servers reject mail from such domains. Let the MX record lead to {}.':
    '{1} sagt, dass es keine E-Mails annimmt (Null-MX), und manche Server weisen E-Mails solcher Domains ab. Der MX-Eintrag muss auf {2} zeigen.',
  '{} has no MX record, so replies to its mail may be lost. Create one.':
    '{1} hat keinen MX-Eintrag, deshalb können Antworten verloren gehen. Legen Sie einen an.',
  '{} has mailboxes here, but its mail arrives at {}. Let the MX record lead to {}.':
    '{1} hat hier Postfächer, aber die E-Mails kommen bei {2} an. Der MX-Eintrag muss auf {3} zeigen.',
  'The TXT record {} is missing, so SPF fails for mail of this domain. Create it.':
    'Der TXT-Eintrag {1} fehlt, deshalb besteht keine E-Mail dieser Domain SPF. Legen Sie ihn an.',
  'The SPF record of {} does not permit this server. Replace its value.':
    'Der SPF-Eintrag von {1} erlaubt diesen Server nicht. Ersetzen Sie seinen Wert.',
  'The SPF record of {} does not permit {}, from where mail is sent.':
    'Der SPF-Eintrag von {1} erlaubt {2} nicht, von wo E-Mails gesendet werden.',
  'The SPF record of {} permits everyone (+all). End it with ~all.':
    'Der SPF-Eintrag von {1} erlaubt alle (+all). Er soll mit ~all enden.',
  'This server may send for the domain. {}': 'Dieser Server darf für die Domain senden. {1}',
  'Its SPF record needs {} of the {} look-ups that receivers allow.':
    'Ihr SPF-Eintrag braucht {1} der {2} Abfragen, die Empfänger zulassen.',
  'There is no DMARC record. Gmail and Yahoo demand one of everyone who sends much. Create the TXT record {}.':
    'Es gibt keinen DMARC-Eintrag. Gmail und Yahoo verlangen ihn von allen, die viel senden. Legen Sie den TXT-Eintrag {1} an.',
  '{} has {} DMARC records, so receivers use none of them. Keep one.':
    '{1} hat {2} DMARC-Einträge, deshalb verwenden Empfänger keinen davon. Behalten Sie einen.',
  'The DMARC record {} has no valid policy (p=none, p=quarantine or p=reject). Add one.':
    'Der DMARC-Eintrag {1} hat keine gültige Richtlinie (p=none, p=quarantine oder p=reject). Ergänzen Sie eine.',
  'The DMARC record {} has pct, which receivers now ignore (RFC 9989). Remove it.':
    'Der DMARC-Eintrag {1} hat pct, das Empfänger inzwischen ignorieren (RFC 9989). Entfernen Sie es.',
  'Nobody sends reports about this domain to {}, because {} has no TXT record v=DMARC1. The operator of this server creates *._report._dmarc.{} with it once, for all domains.':
    'Niemand sendet Berichte über diese Domain an {1}, weil {2} keinen TXT-Eintrag v=DMARC1 hat. Wer diesen Server betreibt, legt damit einmal *._report._dmarc.{3} für alle Domains an.',
  'Receivers find a DMARC record that only observes (p=none). Others can still send as this domain until the policy is quarantine or reject.{}':
    'Empfänger finden einen DMARC-Eintrag, der nur beobachtet (p=none). Andere können als diese Domain senden, bis die Richtlinie quarantine oder reject ist.{1}',
  'Receivers reject what others send as this domain.{}':
    'Empfänger weisen ab, was andere als diese Domain senden.{1}',
  'Receivers move to spam what others send as this domain.{}':
    'Empfänger legen in den Spam, was andere als diese Domain senden.{1}',
  ' It asks for no reports (rua), so you do not see who else sends as this domain.':
    ' Er verlangt keine Berichte (rua), deshalb sehen Sie nicht, wer sonst als diese Domain sendet.',
  'Mail leaves through a relay, whose operator takes care of this.':
    'E-Mails gehen über ein Relay hinaus, dessen Betreiber sich darum kümmert.',
  'The sandbox sends no mail, and MAIL_HOST is not set to a public name.':
    'Die Sandbox sendet keine E-Mails, und MAIL_HOST ist auf keinen öffentlichen Namen gesetzt.',
  'The server introduces itself as {}, which other servers reject. Set MAIL_HOST to its public host name.':
    'Der Server stellt sich als {1} vor, was andere Server abweisen. Setzen Sie MAIL_HOST auf seinen öffentlichen Namen.',
  '{}, as which the server introduces itself, has no address. Create an A record for it.':
    '{1}, als das sich der Server vorstellt, hat keine Adresse. Legen Sie einen A-Eintrag an.',
  '{} leads to {}, which is not a public address.':
    '{1} führt zu {2}, und das ist keine öffentliche Adresse.',
  'The name with which the server introduces itself has an address.':
    'Der Name, mit dem sich der Server vorstellt, hat eine Adresse.',
  'The address that mail is sent from is not known, because MAIL_HOST has none.':
    'Die Adresse, von der E-Mails gesendet werden, ist nicht bekannt, weil MAIL_HOST keine hat.',
  '{} has no reverse DNS, and large providers reject mail from such addresses. Ask the provider of the address to set it to {}.':
    '{1} hat kein Reverse DNS, und große Anbieter weisen E-Mails solcher Adressen ab. Bitten Sie den Anbieter der Adresse, es auf {2} zu setzen.',
  'The reverse DNS of {} is {}, which does not lead back to it. Ask the provider of the address to set it to {}.':
    'Das Reverse DNS von {1} ist {2}, was nicht zurückführt. Bitten Sie den Anbieter der Adresse, es auf {3} zu setzen.',
  'The reverse DNS of {} is {}, but the server introduces itself as {}. Let both be the same.':
    'Das Reverse DNS von {1} ist {2}, aber der Server stellt sich als {3} vor. Beide sollen gleich sein.',
  'The reverse DNS of the server is its name.': 'Das Reverse DNS des Servers ist sein Name.',
  'No blocklists are asked. The setting DNSBL_ZONES names them.':
    'Es werden keine Sperrlisten abgefragt. Die Einstellung DNSBL_ZONES nennt sie.',
  '{} is on the blocklist {}, so servers that use it reject your mail. Find out why, then ask the list to remove it.':
    '{1} steht auf der Sperrliste {2}. Server, die sie verwenden, weisen Ihre E-Mails ab. Finden Sie den Grund heraus und bitten Sie die Liste dann um Streichung.',
  'The blocklist {} cannot be asked: {}.': 'Die Sperrliste {1} kann nicht abgefragt werden: {2}.',
  'No blocklist has this server or this domain.':
    'Weder dieser Server noch diese Domain stehen auf einer Sperrliste.',
  'The certificate of the mail ports cannot be read. Correct SMTP_TLS_CERT and SMTP_TLS_KEY.':
    'Das Zertifikat der E-Mail-Ports ist nicht lesbar. Korrigieren Sie SMTP_TLS_CERT und SMTP_TLS_KEY.',
  'The certificate of the mail ports expired on {}. Renew it.':
    'Das Zertifikat der E-Mail-Ports ist am {1} abgelaufen. Erneuern Sie es.',
  'The certificate of the mail ports expires on {}. Renew it.':
    'Das Zertifikat der E-Mail-Ports läuft am {1} ab. Erneuern Sie es.',
  'The sandbox uses a self-signed certificate.': 'Die Sandbox verwendet ein selbst signiertes Zertifikat.',
  'The certificate of the mail ports {}, so servers that follow your MTA-STS policy deliver nothing. Get a certificate for {}, for example with ACME_EMAIL.':
    'Das Zertifikat der E-Mail-Ports {1}, deshalb stellen Server, die Ihre MTA-STS-Richtlinie befolgen, nichts zu. Holen Sie ein Zertifikat für {2}, zum Beispiel mit ACME_EMAIL.',
  'The certificate of the mail ports {}. Get one for {}, for example with ACME_EMAIL.':
    'Das Zertifikat der E-Mail-Ports {1}. Holen Sie eines für {2}, zum Beispiel mit ACME_EMAIL.',
  'is self-signed': 'ist selbst signiert',
  'is not valid for {}': 'gilt nicht für {1}',
  'The certificate of the mail ports is valid until {}.':
    'Das Zertifikat der E-Mail-Ports ist bis {1} gültig.',
  'Servers may deliver mail to this domain without encryption. Turn on MTA-STS to demand it.':
    'Server dürfen dieser Domain E-Mails unverschlüsselt zustellen. Schalten Sie MTA-STS ein, um Verschlüsselung zu verlangen.',
  'The policy is not used, because the TXT record _mta-sts.{} is missing. Create it.':
    'Die Richtlinie wird nicht verwendet, weil der TXT-Eintrag _mta-sts.{1} fehlt. Legen Sie ihn an.',
  '_mta-sts.{} has several records, so no policy is used. Keep one.':
    '_mta-sts.{1} hat mehrere Einträge, deshalb wird keine Richtlinie verwendet. Behalten Sie einen.',
  'The TXT record _mta-sts.{} does not have the ID of the current policy, so others do not fetch it. Replace its value.':
    'Der TXT-Eintrag _mta-sts.{1} hat nicht die ID der aktuellen Richtlinie, deshalb holen andere sie nicht. Ersetzen Sie seinen Wert.',
  'The policy of https://mta-sts.{} cannot be fetched ({}).':
    'Die Richtlinie von https://mta-sts.{1} ist nicht abrufbar ({2}).',
  'The MTA-STS policy does not name {}, where mail of the domain arrives. Add it, or change the MX record.':
    'Die MTA-STS-Richtlinie nennt {1} nicht, wo E-Mails der Domain ankommen. Ergänzen Sie es, oder ändern Sie den MX-Eintrag.',
  'The MTA-STS policy is being withdrawn.': 'Die MTA-STS-Richtlinie wird zurückgezogen.',
  'Servers test whether mail to this domain can always be encrypted. Change the policy to enforce if reports show no failures.':
    'Server testen, ob E-Mails an diese Domain immer verschlüsselt werden können. Stellen Sie auf „Erzwingen“ um, wenn Berichte keine Fehler zeigen.',
  'Servers deliver mail to this domain only with encryption.':
    'Server stellen dieser Domain E-Mails nur verschlüsselt zu.',
  'The domain asks for no reports about encryption.':
    'Die Domain verlangt keine Berichte über Verschlüsselung.',
  'Without reports you do not see whether MTA-STS breaks delivery. Create the TXT record {}.':
    'Ohne Berichte sehen Sie nicht, ob MTA-STS die Zustellung verhindert. Legen Sie den TXT-Eintrag {1} an.',
  '{} has several records, so nobody sends reports. Keep one.':
    '{1} hat mehrere Einträge, deshalb sendet niemand Berichte. Behalten Sie einen.',
  'The TXT record {} names no address for reports (rua=mailto:… or rua=https://…).':
    'Der TXT-Eintrag {1} nennt keine Adresse für Berichte (rua=mailto:… oder rua=https://…).',
  'Other servers report whether they could encrypt mail to this domain.':
    'Andere Server berichten, ob sie E-Mails an diese Domain verschlüsseln konnten.',
  'The domain has no logo (BIMI) that providers could show.':
    'Die Domain hat kein Logo (BIMI), das Anbieter zeigen könnten.',
  '{} has several records, so no logo is shown. Keep one.':
    '{1} hat mehrere Einträge, deshalb wird kein Logo gezeigt. Behalten Sie einen.',
  'The record {} says that no logo is to be shown.':
    'Der Eintrag {1} sagt, dass kein Logo gezeigt werden soll.',
  'The logo is not shown, because the DMARC policy is not quarantine or reject for all mail. Change the policy first.':
    'Das Logo wird nicht gezeigt, weil die DMARC-Richtlinie nicht für alle E-Mails quarantine oder reject ist. Ändern Sie zuerst die Richtlinie.',
  'Providers can show the logo of the domain.': 'Anbieter können das Logo der Domain zeigen.',
  'Some providers can show the logo of the domain. Gmail and Apple also demand a certificate (a=).':
    'Manche Anbieter können das Logo der Domain zeigen. Gmail und Apple verlangen auch ein Zertifikat (a=).',
  'The logo {} cannot be used: {}.': 'Das Logo {1} ist nicht verwendbar: {2}.',
  'The logo {} does not follow the profile SVG Tiny PS: {}.':
    'Das Logo {1} folgt nicht dem Profil SVG Tiny PS: {2}.',
  'The sandbox sends no mail, and BASE_URL leads to this machine.':
    'Die Sandbox sendet keine E-Mails, und BASE_URL führt zu diesem Rechner.',
  'Recipients cannot unsubscribe, because {} only opens on the server itself. Set BASE_URL to its public URL.':
    'Empfänger können sich nicht abmelden, weil sich {1} nur auf dem Server selbst öffnet. Setzen Sie BASE_URL auf seine öffentliche Adresse.',
  'Recipients cannot unsubscribe with one click: {}':
    'Empfänger können sich nicht mit einem Klick abmelden: {1}',
  'Gmail and Yahoo offer unsubscribing with one click only for https. Let BASE_URL begin with https.':
    'Gmail und Yahoo bieten das Abmelden mit einem Klick nur für https an. BASE_URL muss mit https beginnen.',
  'Recipients can unsubscribe with one click.': 'Empfänger können sich mit einem Klick abmelden.',
  'Links in emails have the host of this server. With a host of the domain (trackingSubdomain), they look like yours.':
    'Links in E-Mails haben den Host dieses Servers. Mit einem Host der Domain sehen sie wie Ihre aus.',
  'Links in emails have the host {}.': 'Links in E-Mails haben den Host {1}.',
  'Links in emails do not use {} now. {}': 'Links in E-Mails verwenden {1} zurzeit nicht. {2}',
  'It is being looked at.': 'Er wird gerade geprüft.',
  '{} was not found in DNS.': '{1} steht nicht im DNS.',
  '{} is an alias of {}, which has no address.': '{1} ist ein Alias von {2}, das keine Adresse hat.',
  '{} is an alias of {}. It must be an alias of {}.':
    '{1} ist ein Alias von {2}. Es muss ein Alias von {3} sein.',
  '{} is answered by another server, or a proxy in front changes the host of requests.':
    'Unter {1} antwortet ein anderer Server, oder ein Proxy davor ändert den Host der Anfragen.',
  '{} answers with status {}, so requests for it do not arrive here.':
    '{1} antwortet mit Status {2}, also kommen Anfragen dafür nicht hier an.',
  '{} cannot be reached{}.': '{1} ist nicht erreichbar{2}.',
  ': there was no response within 10 s': ': es gab innerhalb von 10 s keine Antwort',
  ': it has no address': ': es gibt keine Adresse',
  ': the connection was refused': ': die Verbindung wurde abgelehnt',
  ': it does not have a public address': ': es gibt keine öffentliche Adresse',
  ': it has no valid certificate': ': es gibt kein gültiges Zertifikat',
};

const REPORTS: Catalogue = {
  'This server sent {}, and all passed. There is nothing to do.':
    'Dieser Server hat {1} gesendet, und alle haben bestanden. Es gibt nichts zu tun.',
  'This server sent {}, and {} did not pass. Check the DKIM and SPF records of {}.':
    'Dieser Server hat {1} gesendet, und {2} haben nicht bestanden. Prüfen Sie die DKIM- und SPF-Einträge von {3}.',
  '{} passed {} on to others. The signature stayed valid, so there is nothing to do.':
    '{1} hat {2} an andere weitergeleitet. Die Signatur blieb gültig, deshalb gibt es nichts zu tun.',
  '{} passed {} on to others, and changed {} of them, so that they no longer pass. You cannot prevent this, and usually there is nothing to do.':
    '{1} hat {2} an andere weitergeleitet und {3} davon so verändert, dass sie nicht mehr bestehen. Das können Sie nicht verhindern, und meist gibt es nichts zu tun.',
  '{} sent {} as {}, and all passed by SPF alone. Turn on DKIM for {} there, so that forwarded mail passes too.':
    '{1} hat {2} als {3} gesendet, und alle haben nur durch SPF bestanden. Schalten Sie dort DKIM für {4} ein, damit auch weitergeleitete E-Mails bestehen.',
  'Someone unknown at {} sent {} as {} from {}, without your signature. {}. If this is not yours, a stricter policy protects your name.':
    'Jemand Unbekanntes bei {1} hat {2} als {3} von {4} gesendet, ohne Ihre Signatur. {5}. Wenn das nicht von Ihnen ist, schützt eine strengere Richtlinie Ihren Namen.',
  '{} sent {} as {}, and all passed. There is nothing to do.':
    '{1} hat {2} als {3} gesendet, und alle haben bestanden. Es gibt nichts zu tun.',
  '{} sent {} as {}, and {} did not pass. Sign all mail of this server with DKIM for {}.':
    '{1} hat {2} als {3} gesendet, und {4} haben nicht bestanden. Signieren Sie alle E-Mails dieses Servers mit DKIM für {5}.',
  '{} sent {} as {}, and {} signed with your domain. If you use {}, set up your own domain there and add the DKIM records that it shows. If not, a stricter policy will stop this mail.':
    '{1} hat {2} als {3} gesendet, und {4} mit Ihrer Domain signiert. Wenn Sie {5} verwenden, richten Sie dort Ihre Domain ein und legen die angezeigten DKIM-Einträge an. Wenn nicht, hält eine strengere Richtlinie diese E-Mails auf.',
  'none of them is': 'keine davon ist',
  '{} of them are not': '{1} davon sind nicht',
  '{} sent {} as {}, and you said that it does not send for you. All were stopped.':
    '{1} hat {2} als {3} gesendet, und Sie haben gesagt, dass es nicht für Sie sendet. Alle wurden aufgehalten.',
  '{} sent {} as {}, and you said that it does not send for you. A stricter policy stops this mail.':
    '{1} hat {2} als {3} gesendet, und Sie haben gesagt, dass es nicht für Sie sendet. Eine strengere Richtlinie hält diese E-Mails auf.',
  '{} sent {} as {}, and you said that it does not send for you. {} of them passed all the same, so it has a key of yours or is in your SPF record. Remove both.':
    '{1} hat {2} als {3} gesendet, und Sie haben gesagt, dass es nicht für Sie sendet. {4} davon haben trotzdem bestanden: Es hat einen Schlüssel von Ihnen oder steht in Ihrem SPF-Eintrag. Entfernen Sie beides.',
  'All were stopped': 'Alle wurden aufgehalten',
  '{} were stopped': '{1} wurden aufgehalten',
  'None were stopped, because your policy does not ask for it':
    'Keine wurde aufgehalten, weil Ihre Richtlinie es nicht verlangt',
  '{} did not offer encryption. Turn on STARTTLS on it, or remove it from the MX records. {}':
    '{1} hat keine Verschlüsselung angeboten. Schalten Sie dort STARTTLS ein oder entfernen Sie den Server aus den MX-Einträgen. {2}',
  'The certificate of {} is for another name. Get one for the name in the MX record. {}':
    'Das Zertifikat von {1} gilt für einen anderen Namen. Holen Sie eines für den Namen im MX-Eintrag. {2}',
  'The certificate of {} has expired. Renew it. {}':
    'Das Zertifikat von {1} ist abgelaufen. Erneuern Sie es. {2}',
  'The certificate of {} is not from an authority that others trust. Use one of a public authority, with its whole chain. {}':
    'Das Zertifikat von {1} stammt von keiner Stelle, der andere vertrauen. Verwenden Sie eines einer öffentlichen Stelle, mit der ganzen Kette. {2}',
  'The certificate of {} could not be checked. Look at its reason. {}':
    'Das Zertifikat von {1} konnte nicht geprüft werden. Sehen Sie den Grund an. {2}',
  'The TLSA record of {} does not match its certificate. Publish the record of the certificate that is in use. {}':
    'Der TLSA-Eintrag von {1} passt nicht zum Zertifikat. Veröffentlichen Sie den Eintrag des Zertifikats, das in Gebrauch ist. {2}',
  'The DNSSEC signatures of {} are not valid. Sign the zone again. {}':
    'Die DNSSEC-Signaturen von {1} sind ungültig. Signieren Sie die Zone neu. {2}',
  'The sender requires DANE, and there was no usable TLSA record. {}':
    'Der Absender verlangt DANE, und es gab keinen verwendbaren TLSA-Eintrag. {1}',
  'The MTA-STS policy could not be fetched. Check that mta-sts.<your domain> leads here with a valid certificate. {}':
    'Die MTA-STS-Richtlinie konnte nicht geholt werden. Prüfen Sie, ob mta-sts.<Ihre Domain> mit gültigem Zertifikat hierher führt. {1}',
  'The MTA-STS policy could not be read. Verify the domain again. {}':
    'Die MTA-STS-Richtlinie war nicht lesbar. Verifizieren Sie die Domain erneut. {1}',
  'The certificate of the host of the MTA-STS policy is not valid. Check mta-sts.<your domain>. {}':
    'Das Zertifikat des Hosts der MTA-STS-Richtlinie ist ungültig. Prüfen Sie mta-sts.<Ihre Domain>. {1}',
  'The encryption failed ({}). {}': 'Die Verschlüsselung ist fehlgeschlagen ({1}). {2}',
  'No report has arrived yet. Publish the DMARC record of this domain; reports come once a day.':
    'Noch ist kein Bericht da. Veröffentlichen Sie den DMARC-Eintrag dieser Domain; Berichte kommen einmal am Tag.',
  'The policy is reject, which is the strictest. Mail of strangers is refused. Nothing is left to do.':
    'Die Richtlinie ist reject, die strengste. E-Mails Fremder werden abgewiesen. Es gibt nichts mehr zu tun.',
  'Wait until reports of {} days have arrived. The first is of {}.':
    'Warten Sie, bis Berichte von {1} Tagen da sind. Der erste ist vom {2}.',
  'Wait until reports of {} days have arrived.': 'Warten Sie, bis Berichte von {1} Tagen da sind.',
  'Since {}, {} of {} from your confirmed sources passed, so the policy {} will not stop your own mail.':
    'Seit {1} haben {2} von {3} Ihrer bestätigten Quellen bestanden, deshalb hält die Richtlinie {4} Ihre eigenen E-Mails nicht auf.',
  'Change p={} to p={} in the DMARC record.': 'Ändern Sie im DMARC-Eintrag p={1} zu p={2}.',
  'Reports show only {} in the last {} days. With {} there is enough to advise a policy.':
    'Berichte zeigen nur {1} in den letzten {2} Tagen. Ab {3} reicht es für einen Rat.',
  '{} of the mail of your confirmed sources passed in the last {} days. From 99% a stricter policy is safe. Look at the sources whose mail fails.':
    '{1} der E-Mails Ihrer bestätigten Quellen haben in den letzten {2} Tagen bestanden. Ab 99 % ist eine strengere Richtlinie sicher. Sehen Sie sich die Quellen an, deren E-Mails scheitern.',
  'This affected {}.': 'Betroffen: {1}.',
  'A mail server of the domain': 'Ein E-Mail-Server der Domain',
  '{} connections': '{1} Verbindungen',
  '{} connection': '{1} Verbindung',
  '{} messages': '{1} Nachrichten',
  '{} message': '{1} Nachricht',
  '{} addresses': '{1} Adressen',
  '{} address': '{1} Adresse',
};

export const HEALTH_SENTENCES: Catalogue = { ...CHECKS, ...REPORTS };
