/** The methods by name, and the capability that each belongs to. */
import { echo, getPushSubscriptions, setPushSubscriptions } from './methods/core.ts';
import { copyObjects, parseEmails } from './methods/email-parse.ts';
import { getSnippets, queryEmailChanges, queryEmailIds } from './methods/email-query.ts';
import { changedEmails, changedThreads, getEmails, getThreads } from './methods/email-read.ts';
import { importEmails, setEmails } from './methods/email-set.ts';
import { changedIdentities, getIdentities, setIdentities } from './methods/identity.ts';
import {
  changedMailboxes,
  getMailboxes,
  queryMailboxChanges,
  queryMailboxes,
} from './methods/mailbox-read.ts';
import { setMailboxes } from './methods/mailbox-set.ts';
import { changedQuotas, getQuotas, queryQuotaChanges, queryQuotas } from './methods/quota.ts';
import {
  changedSubmissions,
  getSubmissions,
  querySubmissionChanges,
  querySubmissionIds,
} from './methods/submission-read.ts';
import { setSubmissions } from './methods/submission-set.ts';
import { getVacationResponses, setVacationResponses } from './methods/vacation.ts';
import { CORE, MAIL, QUOTA, SUBMISSION, VACATION } from './session.ts';
import type { Method } from './calls/tools.ts';

export const METHODS: Record<string, Method> = {
  'Core/echo': { capability: CORE, run: echo },
  'Blob/copy': { capability: CORE, run: copyObjects },
  'PushSubscription/get': { capability: CORE, run: getPushSubscriptions },
  'PushSubscription/set': { capability: CORE, run: setPushSubscriptions },
  'Mailbox/get': { capability: MAIL, run: getMailboxes },
  'Mailbox/changes': { capability: MAIL, run: changedMailboxes },
  'Mailbox/query': { capability: MAIL, run: queryMailboxes },
  'Mailbox/queryChanges': { capability: MAIL, run: queryMailboxChanges },
  'Mailbox/set': { capability: MAIL, needs: 'reply', run: setMailboxes },
  'Thread/get': { capability: MAIL, run: getThreads },
  'Thread/changes': { capability: MAIL, run: changedThreads },
  'Email/get': { capability: MAIL, run: getEmails },
  'Email/changes': { capability: MAIL, run: changedEmails },
  'Email/query': { capability: MAIL, run: queryEmailIds },
  'Email/queryChanges': { capability: MAIL, run: queryEmailChanges },
  'Email/set': { capability: MAIL, run: setEmails },
  'Email/copy': { capability: MAIL, run: copyObjects },
  'Email/import': { capability: MAIL, run: importEmails },
  'Email/parse': { capability: MAIL, run: parseEmails },
  'SearchSnippet/get': { capability: MAIL, run: getSnippets },
  'Identity/get': { capability: SUBMISSION, run: getIdentities },
  'Identity/changes': { capability: SUBMISSION, run: changedIdentities },
  'Identity/set': { capability: SUBMISSION, needs: 'settings', run: setIdentities },
  'EmailSubmission/get': { capability: SUBMISSION, run: getSubmissions },
  'EmailSubmission/changes': { capability: SUBMISSION, run: changedSubmissions },
  'EmailSubmission/query': { capability: SUBMISSION, run: querySubmissionIds },
  'EmailSubmission/queryChanges': { capability: SUBMISSION, run: querySubmissionChanges },
  'EmailSubmission/set': { capability: SUBMISSION, needs: 'reply', run: setSubmissions },
  'VacationResponse/get': { capability: VACATION, run: getVacationResponses },
  'VacationResponse/set': { capability: VACATION, needs: 'settings', run: setVacationResponses },
  'Quota/get': { capability: QUOTA, run: getQuotas },
  'Quota/changes': { capability: QUOTA, run: changedQuotas },
  'Quota/query': { capability: QUOTA, run: queryQuotas },
  'Quota/queryChanges': { capability: QUOTA, run: queryQuotaChanges },
};
