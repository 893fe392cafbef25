/** The page on which a person decides what an application may do. It has no scripts. */
import type { Scope } from '../../features/api/scopes.ts';
import { describeScope } from '../../features/identity/oauth/scopes.ts';
import type { Mailbox } from '../../features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { SendPolicy } from '../../features/sending/policies/policies.schema.ts';
import { markup, type Markup } from '../pages/markup.ts';
import { renderPage } from '../public/page.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

export const NEW_POLICY = 'new';
export const NEW_POLICY_NAME = 'Assistants: a person approves every email';

export interface ConsentView {
  request: AuthorizationRequest;
  teamName: string;
  mailboxes: Mailbox[];
  policies: SendPolicy[];
  /** What the form sends back besides the choices. */
  hidden: Record<string, string>;
  problem: string | null;
}

const MODES: Record<SendPolicy['mode'], string> = {
  draft_only: 'it writes drafts and sends nothing',
  approve_all: 'a person approves every email',
  approve_new: 'a person approves emails to new people',
  free: 'it sends within the limits of the policy',
};

/** Sending has to be chosen by the person. */
const NOT_CHOSEN: ReadonlySet<Scope> = new Set(['emails.send', 'contacts.write', 'campaigns.write']);

export function renderConsent(view: ConsentView): string {
  const { request, teamName, problem } = view;
  const { client, redirectUri } = request;
  const origin = describeTarget(redirectUri);
  const who =
    client.host === null
      ? markup`<p><b>It registered itself under this name, so nobody has checked who it is.</b> Your answer goes to <b>${origin}</b>.</p>`
      : markup`<p>It belongs to <b>${client.host}</b>. Your answer goes to <b>${origin}</b>.</p>`;
  const body = markup`
<p><b>${client.name}</b> wants to act for you in the team ${teamName}. Only continue if you have just asked for this.</p>
${who}
${problem === null ? null : markup`<p role="alert"><b>${problem}</b></p>`}
<form method="post">
${Object.entries(view.hidden).map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}
${renderScopes(request.scopes)}
${renderMailboxes(view.mailboxes)}
${renderPolicies(view.policies)}
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny" class="second">Do not allow</button>
</form>
<p>It can never do more than you, and cannot send campaigns, delete mail, or change keys, people or policies. You can end this at any time under API keys.</p>`;
  return renderPage('en', `Let ${client.name} in?`, body);
}

function renderScopes(scopes: Scope[]): Markup {
  return markup`<fieldset><legend>It may</legend>${scopes.map(
    (scope) =>
      markup`<label><input type="checkbox" name="allowed" value="${scope}"${NOT_CHOSEN.has(scope) ? null : markup` checked`}>${describeScope(scope)}</label>`,
  )}</fieldset>`;
}

function renderMailboxes(mailboxes: Mailbox[]): Markup {
  return markup`<fieldset><legend>Mailboxes</legend>
<label><input type="radio" name="reach" value="open" checked>All that are open to the team<span>As far as you may use them</span></label>
<label><input type="radio" name="reach" value="chosen">Only these, and nothing besides mail:</label>
${mailboxes.map(({ id, address, role }) => markup`<label><input type="checkbox" name="mailbox" value="${id}">${address}<span>You may ${role}</span></label>`)}
</fieldset>`;
}

function renderPolicies(policies: SendPolicy[]): Markup {
  const known = policies.some(({ name }) => name === NEW_POLICY_NAME);
  const strict = known
    ? null
    : markup`<label><input type="radio" name="policy" value="${NEW_POLICY}" checked>A person approves every email</label>`;
  return markup`<fieldset><legend>What it sends</legend>${strict}${policies.map(
    ({ id, name, mode }) =>
      markup`<label><input type="radio" name="policy" value="${id}"${known && name === NEW_POLICY_NAME ? markup` checked` : null}>${name}<span>${MODES[mode]}</span></label>`,
  )}</fieldset>`;
}

function describeTarget(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === 'http:') return 'this computer';
  return protocol === 'https:' ? host : `the application for ${protocol}`;
}
