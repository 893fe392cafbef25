import type { signOnTexts as English } from '../en/single-sign-on.ts';

export const signOnTexts: typeof English = {
  start: 'Über Ihre Firma anmelden',
  startHint: 'Geben Sie zuerst Ihre E-Mail-Adresse ein, damit Posthorn Ihre Firma findet.',
  title: 'Single Sign-on',
  lead: 'Personen Ihres Teams melden sich über Ihren Identitätsanbieter an, zum Beispiel Okta, Entra ID, Google oder Keycloak, mit OpenID Connect.',
  issuer: 'Issuer',
  issuerHint: 'Die URL vor /.well-known/openid-configuration.',
  clientId: 'Client-ID',
  clientSecret: 'Client-Secret',
  secretHint:
    'Posthorn bewahrt es verschlüsselt auf und zeigt es nicht mehr an. Geben Sie es bei jedem Speichern ein.',
  domains: 'Domains',
  domainsHint:
    'Verifizierte Domains dieses Teams, durch Kommas getrennt. Wer dort eine Adresse hat, wird bei der ersten Anmeldung Mitglied des Teams.',
  required: 'Erzwingen',
  requiredHint:
    'Mitglieder und Admins kommen dann nur noch auf diesem Weg ins Team. Inhaber behalten ihr Passwort.',
  redirectUri: 'Redirect-URI',
  logoutUri: 'Back-Channel-Logout-URI',
  register: 'Tragen Sie diese beim Anbieter ein.',
  remove: 'Entfernen',
  removed: 'Single Sign-on wurde entfernt',
  identities: 'Verknüpfte Anmeldungen',
  identitiesLead: 'Konten bei einem Anbieter, mit denen Sie sich hier anmelden können.',
  link: 'Firmenkonto verknüpfen',
  unlink: 'Verknüpfung lösen',
  noIdentities: 'Noch keine.',
};
