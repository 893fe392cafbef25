/**
 * Which operations the audit log records, and under which action. A test fails if a route that needs an admin is
 * neither here nor in UNRECORDED. Operations of other vendors' APIs are named by vendor, method and path.
 */
export const AUDITED: Readonly<Record<string, string>> = {
  // People and sign-in.
  signOutEverywhere: 'session.ended-everywhere',
  updateAccount: 'account.updated',
  startTotp: 'two-factor.started',
  confirmTotp: 'two-factor.enabled',
  stopTotp: 'two-factor.disabled',
  changeRole: 'member.role-changed',
  removeMember: 'member.removed',
  createInvitation: 'invitation.created',
  withdrawInvitation: 'invitation.withdrawn',
  putSingleSignOn: 'single-sign-on.updated',
  deleteSingleSignOn: 'single-sign-on.removed',
  unlinkIdentity: 'identity.unlinked',
  addPasskey: 'passkey.added',
  renamePasskey: 'passkey.renamed',
  deletePasskey: 'passkey.removed',
  renewRecoveryCodes: 'recovery-codes.renewed',
  // Keys.
  createApiKey: 'api-key.created',
  updateApiKey: 'api-key.updated',
  rotateApiKey: 'api-key.rotated',
  revokeApiKey: 'api-key.revoked',
  'Resend POST /api-keys': 'api-key.created',
  'Resend PATCH /api-keys/{id}': 'api-key.updated',
  'Resend DELETE /api-keys/{id}': 'api-key.revoked',
  createSendPolicy: 'send-policy.created',
  updateSendPolicy: 'send-policy.updated',
  deleteSendPolicy: 'send-policy.deleted',
  approveEmail: 'approval.approved',
  rejectEmail: 'approval.rejected',
  createAppPassword: 'app-password.created',
  revokeAppPassword: 'app-password.revoked',
  // Settings.
  updateTeam: 'team.updated',
  updateBrand: 'brand.updated',
  createDomain: 'domain.created',
  updateDomain: 'domain.updated',
  deleteDomain: 'domain.deleted',
  rotateDomainKey: 'domain.key-rotated',
  releaseBrake: 'domain.brake-released',
  markDmarcSource: 'domain.source-marked',
  startWarmUp: 'egress.warm-up-started',
  'Resend POST /domains': 'domain.created',
  'Resend PATCH /domains/{id}': 'domain.updated',
  'Resend DELETE /domains/{id}': 'domain.deleted',
  'mailgun POST /domains': 'domain.created',
  'mailgun PUT /domains/{domain}': 'domain.updated',
  'mailgun DELETE /domains/{domain}': 'domain.deleted',
  'mailgun PUT /domains/{domain}/tracking/open': 'domain.updated',
  'mailgun PUT /domains/{domain}/tracking/click': 'domain.updated',
  createWebhook: 'webhook.created',
  updateWebhook: 'webhook.updated',
  deleteWebhook: 'webhook.deleted',
  rotateWebhookSecret: 'webhook.secret-rotated',
  'Resend POST /webhooks': 'webhook.created',
  'Resend PATCH /webhooks/{id}': 'webhook.updated',
  'Resend DELETE /webhooks/{id}': 'webhook.deleted',
  'Resend POST /webhooks/{id}/signing-secret/rotate': 'webhook.secret-rotated',
  // Mailboxes.
  createMailbox: 'mailbox.created',
  updateMailbox: 'mailbox.updated',
  deleteMailbox: 'mailbox.deleted',
  'Resend POST /inboxes': 'mailbox.created',
  'Resend PATCH /inboxes/{inbox}': 'mailbox.updated',
  'Resend PATCH /inboxes/{inbox}/agent': 'mailbox.updated',
  'Resend DELETE /inboxes/{inbox}': 'mailbox.deleted',
  changeMailboxAccess: 'mailbox.access-changed',
  addMailboxAddress: 'mailbox.address-added',
  removeMailboxAddress: 'mailbox.address-removed',
  createRule: 'rule.created',
  updateRule: 'rule.updated',
  deleteRule: 'rule.deleted',
  putSieveScript: 'rule.replaced-by-sieve',
  applyRule: 'rule.applied',
  updateAutomaticReply: 'automatic-reply.updated',
  blockSender: 'block.added',
  unblockSender: 'block.removed',
  // The queue.
  holdQueue: 'queue.held',
  releaseQueue: 'queue.released',
  dropQueue: 'queue.dropped',
  // Campaigns and automations.
  scheduleCampaign: 'campaign.started',
  unscheduleCampaign: 'campaign.unscheduled',
  pauseCampaign: 'campaign.paused',
  resumeCampaign: 'campaign.resumed',
  deleteCampaign: 'campaign.deleted',
  chooseCampaignWinner: 'campaign.winner-chosen',
  'Resend POST /broadcasts/{id}/send': 'campaign.started',
  'Resend POST /broadcasts/{id}/cancel': 'campaign.unscheduled',
  'Resend DELETE /broadcasts/{id}': 'campaign.deleted',
  createFeed: 'feed.created',
  updateFeed: 'feed.updated',
  deleteFeed: 'feed.deleted',
  activateAutomation: 'automation.activated',
  publishAutomation: 'automation.published',
  pauseAutomation: 'automation.paused',
  resumeAutomation: 'automation.resumed',
  closeAutomation: 'automation.closed',
  deleteAutomation: 'automation.deleted',
  'Resend POST /automations/{id}/stop': 'automation.paused',
  'Resend DELETE /automations/{id}': 'automation.deleted',
  // Data that leaves, and data that is deleted.
  exportAudit: 'audit.exported',
  exportAuditCsv: 'audit.exported',
  exportContacts: 'contacts.exported',
  exportEmails: 'emails.exported',
  exportCampaignRecipients: 'campaign.recipients-exported',
  erasePerson: 'person.erased',
  deleteContactBook: 'contact-book.deleted',
};

/** What an operation with this body does besides, if it is to be recorded. */
type FindAction = (body: Record<string, unknown>) => string | null;

const startsCampaign: FindAction = (body) =>
  [body.send, body.sendNow, body.scheduledAt, body.localTime].some(Boolean) ? 'campaign.started' : null;
const turnsAutomation: FindAction = ({ status }) =>
  status === 'enabled' ? 'automation.activated' : status === 'disabled' ? 'automation.paused' : null;

/** Operations that are recorded only with some bodies. */
export const AUDITED_SOMETIMES: Readonly<Record<string, FindAction>> = {
  createCampaign: startsCampaign,
  'Resend POST /broadcasts': startsCampaign,
  'Resend POST /automations': turnsAutomation,
  'Resend PATCH /automations/{id}': turnsAutomation,
};

/** Operations that need an admin and change nothing that anyone would look up. */
export const UNRECORDED: ReadonlySet<string> = new Set([
  'verifyDomain',
  'retryQueue',
  'sendTestEvent',
  'replayWebhookCall',
  'replayFailedWebhookCalls',
  'Resend POST /domains/{id}/verify',
  'mailgun PUT /domains/{domain}/verify',
  'Resend POST /webhooks/{id}/events/{event}/replay',
]);

/** Operations whose request and response hold a person's address that must not be kept. */
export const WITHOUT_STATE: ReadonlySet<string> = new Set(['erasePerson', 'applyRule', 'putSieveScript']);
