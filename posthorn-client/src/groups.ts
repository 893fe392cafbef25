/** Generated from the OpenAPI document by `npm run generate`. */

import type { Client, Options, UploadBody } from './client.ts';
import type { Pages } from './pages.ts';
import type * as t from './types.ts';
import { verifyWebhook } from './webhooks.ts';

export function createGroups(client: Client) {
  return {
    emails: {
      /** Send an email */
      send: (
        body: t.SendEmailBody,
        options?: Options,
      ): Promise<{ emailId: string } | t.HeldEmail | t.BlockedEmail> =>
        client.request({ method: 'POST', path: '/v1/emails', body }, options),

      /** List emails */
      list: (
        query?: {
          limit?: number;
          cursor?: string;
          status?:
            | 'SCHEDULED'
            | 'QUEUED'
            | 'SENT'
            | 'DELIVERED'
            | 'DELIVERY_DELAYED'
            | 'BOUNCED'
            | 'REJECTED'
            | 'RENDERING_FAILURE'
            | 'COMPLAINED'
            | 'OPENED'
            | 'CLICKED'
            | 'SUPPRESSED'
            | 'CANCELLED'
            | 'FAILED';
          domainId?: number;

          /** Only emails that were created at this time or later */
          since?: string;

          /** Only emails that were created before this time */
          until?: string;

          /** `true` lists only emails from mailboxes that were turned back into a draft before they were sent, `false` lists all others. By default both are listed */
          undone?: boolean;

          /** Only emails with this tag, as `name:value` */
          tag?: string;

          /** A full email address finds all emails to that recipient, however old. In any other text, each word must be part of the subject or of an address or name in to, cc or bcc, ignoring case. */
          search?: string;
        },
        options?: Options,
      ): Pages<t.EmailListItem> => client.pages({ method: 'GET', path: '/v1/emails', query }, options),

      /** Send up to 100 emails */
      sendMany: (
        body: Array<{
          from: string;
          to: string | Array<string>;
          cc?: string | Array<string> | null;
          bcc?: string | Array<string> | null;
          replyTo?: string | Array<string> | null;

          /** Required without a templateId */
          subject?: string | null;

          /** At most 5000 links */
          html?: string | null;
          text?: string | null;

          /** The template to use instead of html and text */
          templateId?: string | null;

          /** The values for the merge tags, conditions and loops of the template. `{{order.total}}` reads the property of an object, `{% for item in order.items %}` a list */
          variables?: Record<
            string,
            string | number | boolean | null | Array<unknown> | Record<string, unknown>
          > | null;
          headers?: Record<string, string> | null;
          attachments?: Array<{
            filename: string;

            /** Base64 */
            content: string;
            contentType?: string | null;

            /** For an image that the HTML refers to with a cid: URL */
            contentId?: string | null;
          }> | null;

          /** Shown in events, webhooks and lists. Recipients do not see them */
          tags?: Array<t.EmailTag> | null;

          /** Your own data. Shown with the email and in webhooks. Recipients do not see it */
          metadata?: Record<string, string> | null;

          /** The send time. Up to a minute in the past counts as now */
          scheduledAt?: string | null;

          /** The email to reply to */
          inReplyToId?: string | null;

          /** How many seconds the email is held so that it can be cancelled */
          undoSeconds?: number | null;

          /** Whether opens and clicks are tracked. By default the setting of the domain */
          tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;
        }>,
        options?: Options,
      ): Promise<t.SendEmailsAnswer> =>
        client.request({ method: 'POST', path: '/v1/emails/batch', body }, options),

      /** Reschedule an email */
      reschedule: (
        emailId: string,
        body: t.RescheduleEmailBody,
        options?: Options,
      ): Promise<t.RescheduleEmailAnswer> =>
        client.request({ method: 'PATCH', path: `/v1/emails/${encodeURIComponent(emailId)}`, body }, options),

      /** Delete the content of an email */
      delete: (emailId: string, options?: Options): Promise<t.DeleteEmailAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/emails/${encodeURIComponent(emailId)}` }, options),

      /** Get an email with its events */
      get: (emailId: string, options?: Options): Promise<t.Email> =>
        client.request({ method: 'GET', path: `/v1/emails/${encodeURIComponent(emailId)}` }, options),

      /** Cancel a scheduled email */
      cancel: (emailId: string, options?: Options): Promise<t.CancelEmailAnswer> =>
        client.request({ method: 'POST', path: `/v1/emails/${encodeURIComponent(emailId)}/cancel` }, options),

      /** Send an email again */
      sendEmailAgain: (
        emailId: string,
        options?: Options,
      ): Promise<{ emailId: string } | t.HeldEmail | t.BlockedEmail> =>
        client.request(
          { method: 'POST', path: `/v1/emails/${encodeURIComponent(emailId)}/send-again` },
          options,
        ),

      /** Export emails as a CSV file */
      export: (
        query?: {
          status?:
            | 'SCHEDULED'
            | 'QUEUED'
            | 'SENT'
            | 'DELIVERED'
            | 'DELIVERY_DELAYED'
            | 'BOUNCED'
            | 'REJECTED'
            | 'RENDERING_FAILURE'
            | 'COMPLAINED'
            | 'OPENED'
            | 'CLICKED'
            | 'SUPPRESSED'
            | 'CANCELLED'
            | 'FAILED';
          domainId?: number;

          /** Only emails that were created at this time or later */
          since?: string;

          /** Only emails that were created before this time */
          until?: string;

          /** `true` lists only emails from mailboxes that were turned back into a draft before they were sent, `false` lists all others. By default both are listed */
          undone?: boolean;

          /** Only emails with this tag, as `name:value` */
          tag?: string;

          /** A full email address finds all emails to that recipient, however old. In any other text, each word must be part of the subject or of an address or name in to, cc or bcc, ignoring case. */
          search?: string;
        },
        options?: Options,
      ): Promise<Response> => client.download({ method: 'GET', path: '/v1/emails/export', query }, options),

      /** Get the source of an email */
      getEmailSource: (emailId: string, options?: Options): Promise<t.EmailSource> =>
        client.request({ method: 'GET', path: `/v1/emails/${encodeURIComponent(emailId)}/source` }, options),

      /** Get an attachment of an email */
      getEmailAttachment: (emailId: string, n: number | string, options?: Options): Promise<Response> =>
        client.download(
          {
            method: 'GET',
            path: `/v1/emails/${encodeURIComponent(emailId)}/attachments/${encodeURIComponent(n)}`,
          },
          options,
        ),
    },
    contacts: {
      /** List what happened with a contact */
      listContactActivity: (
        contactBookId: string,
        contactId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ContactActivity> =>
        client.pages(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}/activity`,
            query,
          },
          options,
        ),

      /** Add or update a contact */
      create: (
        contactBookId: string,
        body: t.CreateContactBody,
        options?: Options,
      ): Promise<t.CreateContactAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts`, body },
          options,
        ),

      /** List contacts */
      list: (
        contactBookId: string,
        query?: {
          limit?: number;
          cursor?: string;

          /** Only the contact with this email address */
          email?: string;
          subscribed?: boolean;

          /** Part of the email address or name, ignoring case */
          search?: string;
        },
        options?: Options,
      ): Pages<t.Contact> =>
        client.pages(
          { method: 'GET', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts`, query },
          options,
        ),

      /** Add or update up to 10,000 contacts */
      createMany: (
        contactBookId: string,
        body: Array<{
          firstName?: string | null;
          lastName?: string | null;

          /** Merged key by key; keys are case-insensitive. null removes a key */
          properties?: Record<string, string | number | boolean | null> | null;
          subscribed?: boolean | null;
          email: string;
        }>,
        options?: Options,
      ): Promise<t.CreateContactsAnswer> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/bulk`,
            body,
          },
          options,
        ),

      /** Delete up to 10,000 contacts */
      deleteMany: (
        contactBookId: string,
        body: t.DeleteContactsBody,
        options?: Options,
      ): Promise<t.DeleteContactsAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/bulk`,
            body,
          },
          options,
        ),

      /** Unsubscribe up to 10,000 contacts, or change their topics */
      updateMany: (
        contactBookId: string,
        body: t.UpdateContactsBody,
        options?: Options,
      ): Promise<t.UpdateContactsAnswer> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/bulk`,
            body,
          },
          options,
        ),

      /** List the IDs of contacts */
      listContactIds: (
        contactBookId: string,
        query?: {
          /** Only the contact with this email address */
          email?: string;
          subscribed?: boolean;

          /** Part of the email address or name, ignoring case */
          search?: string;
          cursor?: string;
          limit?: number;
        },
        options?: Options,
      ): Pages<string> =>
        client.pages(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/ids`,
            query,
          },
          options,
        ),

      /** List the contacts of all books */
      search: (
        query?: {
          limit?: number;
          cursor?: string;

          /** Only the contact with this email address */
          email?: string;
          subscribed?: boolean;

          /** Part of the email address or name, ignoring case */
          search?: string;
        },
        options?: Options,
      ): Pages<t.Contact> => client.pages({ method: 'GET', path: '/v1/contacts', query }, options),

      /** Erase a person */
      erasePerson: (query: { email: string }, options?: Options): Promise<t.ErasePersonAnswer> =>
        client.request({ method: 'DELETE', path: '/v1/contacts', query }, options),

      /** Get a contact */
      get: (contactBookId: string, contactId: string, options?: Options): Promise<t.ContactDetails> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}`,
          },
          options,
        ),

      /** Update a contact */
      update: (
        contactBookId: string,
        contactId: string,
        body: t.UpdateContactBody,
        options?: Options,
      ): Promise<t.UpdateContactAnswer> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}`,
            body,
          },
          options,
        ),

      /** Update or add a contact */
      put: (
        contactBookId: string,
        contactId: string,
        body: t.PutContactBody,
        options?: Options,
      ): Promise<t.PutContactAnswer> =>
        client.request(
          {
            method: 'PUT',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}`,
            body,
          },
          options,
        ),

      /** Delete a contact */
      delete: (contactBookId: string, contactId: string, options?: Options): Promise<t.DeleteContactAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}`,
          },
          options,
        ),

      /** Import contacts from a CSV file */
      createContactImport: (
        contactBookId: string,
        body: UploadBody,
        query?: {
          /** A JSON object that maps column names to `email`, `firstName`, `lastName`, `subscribed`, `unsubscribed`, `status`, the name of a property, or null to skip the column. Columns that are not listed are recognised by their names. */
          mapping?: string;

          /** What happens to new contacts in a book with double opt-in. `confirmed`: they have already agreed and are subscribed right away; the consent is recorded with each contact. `ask`: each gets a confirmation email, sent as bulk email. `none`: they are stored as pending and get no email. In a book without double opt-in, new contacts are always subscribed and `ask` is rejected. */
          consent?: 'confirmed' | 'ask' | 'none';

          /** How and when they agreed. Stored with each contact that is subscribed by `consent=confirmed` */
          consentNote?: string;

          /** `true`: new contacts start the automations that begin with them */
          triggerAutomations?: boolean;
        },
        options?: Options,
      ): Promise<t.ContactImport> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/imports`,
            body,
            contentType: 'text/csv',
            query,
          },
          options,
        ),

      /** List imports */
      listContactImports: (
        contactBookId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ContactImport> =>
        client.pages(
          { method: 'GET', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/imports`, query },
          options,
        ),

      /** Get an import */
      getContactImport: (
        contactBookId: string,
        importId: string,
        options?: Options,
      ): Promise<t.ContactImport> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/imports/${encodeURIComponent(importId)}`,
          },
          options,
        ),

      /** Stop an import */
      cancelContactImport: (
        contactBookId: string,
        importId: string,
        options?: Options,
      ): Promise<t.ContactImport> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/imports/${encodeURIComponent(importId)}`,
          },
          options,
        ),

      /** List the rejected rows of an import */
      listContactImportRefusals: (
        contactBookId: string,
        importId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ContactImportRefusal> =>
        client.pages(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/imports/${encodeURIComponent(importId)}/refusals`,
            query,
          },
          options,
        ),

      /** Export contacts as a CSV file */
      export: (contactBookId: string, options?: Options): Promise<Response> =>
        client.download(
          { method: 'GET', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/export` },
          options,
        ),
    },
    templates: {
      /** Create a template */
      create: (body: t.CreateTemplateBody, options?: Options): Promise<t.Template> =>
        client.request({ method: 'POST', path: '/v1/templates', body }, options),

      /** List templates */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.TemplateListItem> =>
        client.pages({ method: 'GET', path: '/v1/templates', query }, options),

      /** Preview content */
      previewContent: (body: t.PreviewContentBody, options?: Options): Promise<t.PreviewContentAnswer> =>
        client.request({ method: 'POST', path: '/v1/templates/preview', body }, options),

      /** Get a template */
      get: (templateId: string, options?: Options): Promise<t.Template> =>
        client.request({ method: 'GET', path: `/v1/templates/${encodeURIComponent(templateId)}` }, options),

      /** Update a template */
      update: (templateId: string, body: t.UpdateTemplateBody, options?: Options): Promise<t.Template> =>
        client.request(
          { method: 'PATCH', path: `/v1/templates/${encodeURIComponent(templateId)}`, body },
          options,
        ),

      /** Delete a template */
      delete: (templateId: string, options?: Options): Promise<t.DeleteTemplateAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/templates/${encodeURIComponent(templateId)}` },
          options,
        ),

      /** List the versions of a template */
      listTemplateVersions: (
        templateId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.VersionListItem> =>
        client.pages(
          { method: 'GET', path: `/v1/templates/${encodeURIComponent(templateId)}/versions`, query },
          options,
        ),

      /** Get a version of a template */
      getTemplateVersion: (templateId: string, versionId: string, options?: Options): Promise<t.Version> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/templates/${encodeURIComponent(templateId)}/versions/${encodeURIComponent(versionId)}`,
          },
          options,
        ),

      /** Restore a version of a template */
      restoreTemplateVersion: (
        templateId: string,
        versionId: string,
        options?: Options,
      ): Promise<t.Template> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/templates/${encodeURIComponent(templateId)}/versions/${encodeURIComponent(versionId)}/restore`,
          },
          options,
        ),

      /** List starter templates */
      listStarterTemplates: (options?: Options): Promise<t.ListStarterTemplatesAnswer> =>
        client.request({ method: 'GET', path: '/v1/starter-templates' }, options),
    },
    media: {
      /** Upload an image */
      create: (
        body: UploadBody,
        query?: {
          /** The name of the image. Default: the file name in the form */
          name?: string;
        },
        options?: Options,
      ): Promise<t.Media> =>
        client.request(
          { method: 'POST', path: '/v1/media', body, contentType: 'application/octet-stream', query },
          options,
        ),

      /** List images */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.Media> =>
        client.pages({ method: 'GET', path: '/v1/media', query }, options),

      /** Get an image */
      get: (mediaId: string, options?: Options): Promise<t.Media> =>
        client.request({ method: 'GET', path: `/v1/media/${encodeURIComponent(mediaId)}` }, options),

      /** Delete an image */
      delete: (mediaId: string, options?: Options): Promise<t.DeleteMediaAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/media/${encodeURIComponent(mediaId)}` }, options),
    },
    domains: {
      /** Add a sending domain */
      create: (body: t.CreateDomainBody, options?: Options): Promise<t.Domain> =>
        client.request({ method: 'POST', path: '/v1/domains', body }, options),

      /** List domains */
      list: (options?: Options): Promise<Array<t.Domain>> =>
        client.request({ method: 'GET', path: '/v1/domains' }, options),

      /** Get a domain */
      get: (id: number | string, options?: Options): Promise<t.Domain> =>
        client.request({ method: 'GET', path: `/v1/domains/${encodeURIComponent(id)}` }, options),

      /** Update a domain */
      update: (id: number | string, body: t.UpdateDomainBody, options?: Options): Promise<t.Domain> =>
        client.request({ method: 'PATCH', path: `/v1/domains/${encodeURIComponent(id)}`, body }, options),

      /** Delete a domain */
      delete: (id: number | string, options?: Options): Promise<t.DeleteDomainAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/domains/${encodeURIComponent(id)}` }, options),

      /** Verify a domain */
      verify: (id: number | string, options?: Options): Promise<t.VerifyDomainAnswer> =>
        client.request({ method: 'PUT', path: `/v1/domains/${encodeURIComponent(id)}/verify` }, options),

      /** Rotate the DKIM key */
      rotateDomainKey: (id: number | string, options?: Options): Promise<t.Domain> =>
        client.request({ method: 'POST', path: `/v1/domains/${encodeURIComponent(id)}/rotate-key` }, options),

      /** Get the health of a domain */
      getDomainHealth: (id: number | string, options?: Options): Promise<t.DomainHealth> =>
        client.request({ method: 'GET', path: `/v1/domains/${encodeURIComponent(id)}/health` }, options),

      /** Release the brake of a domain */
      releaseBrake: (id: number | string, body: t.ReleaseBrakeBody, options?: Options): Promise<t.Domain> =>
        client.request(
          { method: 'POST', path: `/v1/domains/${encodeURIComponent(id)}/release-brake`, body },
          options,
        ),

      /** Get the DMARC reports about a domain */
      getDmarcReports: (
        id: number | string,
        query?: {
          /** Only reports that begin then or later */
          from?: string;

          /** Only reports that begin then or earlier */
          to?: string;
        },
        options?: Options,
      ): Promise<t.DmarcReports> =>
        client.request(
          { method: 'GET', path: `/v1/domains/${encodeURIComponent(id)}/reports/dmarc`, query },
          options,
        ),

      /** Confirm or disown a source of DMARC reports */
      markDmarcSource: (
        id: number | string,
        body: t.MarkedSource,
        options?: Options,
      ): Promise<t.MarkedSource> =>
        client.request(
          { method: 'PUT', path: `/v1/domains/${encodeURIComponent(id)}/reports/dmarc/source`, body },
          options,
        ),

      /** Get the TLS reports about a domain */
      getTlsReports: (
        id: number | string,
        query?: {
          /** Only reports that begin then or later */
          from?: string;

          /** Only reports that begin then or earlier */
          to?: string;
        },
        options?: Options,
      ): Promise<t.TlsReports> =>
        client.request(
          { method: 'GET', path: `/v1/domains/${encodeURIComponent(id)}/reports/tls`, query },
          options,
        ),
    },
    egress: {
      /** List the outgoing routes of the server */
      listEgresses: (options?: Options): Promise<t.ListEgressesAnswer> =>
        client.request({ method: 'GET', path: '/v1/egress' }, options),

      /** Warm up a new address */
      startWarmUp: (name: string, body: t.StartWarmUpBody, options?: Options): Promise<t.Egress> =>
        client.request(
          { method: 'POST', path: `/v1/egress/${encodeURIComponent(name)}/warmup`, body },
          options,
        ),
    },
    contactBooks: {
      /** Create a contact book */
      create: (body: t.CreateContactBookBody, options?: Options): Promise<t.ContactBook> =>
        client.request({ method: 'POST', path: '/v1/contactBooks', body }, options),

      /** List contact books */
      list: (options?: Options): Promise<Array<t.ContactBook>> =>
        client.request({ method: 'GET', path: '/v1/contactBooks' }, options),

      /** Get a contact book */
      get: (contactBookId: string, options?: Options): Promise<t.ContactBook> =>
        client.request(
          { method: 'GET', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}` },
          options,
        ),

      /** Update a contact book */
      update: (
        contactBookId: string,
        body: t.UpdateContactBookBody,
        options?: Options,
      ): Promise<t.ContactBook> =>
        client.request(
          { method: 'PATCH', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}`, body },
          options,
        ),

      /** Delete a contact book and its contacts */
      delete: (contactBookId: string, options?: Options): Promise<t.DeleteContactBookAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}` },
          options,
        ),

      /** Get the growth of a contact book */
      getContactBookGrowth: (
        contactBookId: string,
        query?: {
          /** The first day, together with to */
          from?: string;

          /** The last day, at most 400 days in all */
          to?: string;

          /** What one entry stands for. Default: day */
          interval?: 'hour' | 'day' | 'week' | 'month';

          /** The IANA time zone of the days and hours. Default: UTC */
          timezone?: string;
        },
        options?: Options,
      ): Promise<t.GetContactBookGrowthAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/growth`, query },
          options,
        ),
    },
    segments: {
      /** Create a segment */
      create: (body: t.CreateSegmentBody, options?: Options): Promise<t.Segment> =>
        client.request({ method: 'POST', path: '/v1/segments', body }, options),

      /** List segments */
      list: (
        query?: {
          limit?: number;
          cursor?: string;

          /** Only segments of this contact book */
          contactBookId?: string;
        },
        options?: Options,
      ): Pages<t.Segment> => client.pages({ method: 'GET', path: '/v1/segments', query }, options),

      /** Count the contacts that match a filter */
      countFilter: (body: t.CountFilterBody, options?: Options): Promise<t.CountFilterAnswer> =>
        client.request({ method: 'POST', path: '/v1/segments/count', body }, options),

      /** Get a segment */
      get: (segmentId: string, options?: Options): Promise<t.Segment> =>
        client.request({ method: 'GET', path: `/v1/segments/${encodeURIComponent(segmentId)}` }, options),

      /** Update a segment */
      update: (segmentId: string, body: t.UpdateSegmentBody, options?: Options): Promise<t.Segment> =>
        client.request(
          { method: 'PATCH', path: `/v1/segments/${encodeURIComponent(segmentId)}`, body },
          options,
        ),

      /** Delete a segment */
      delete: (segmentId: string, options?: Options): Promise<t.DeleteSegmentAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/segments/${encodeURIComponent(segmentId)}` }, options),

      /** Count the contacts in a segment */
      count: (segmentId: string, options?: Options): Promise<t.CountSegmentAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/segments/${encodeURIComponent(segmentId)}/count` },
          options,
        ),

      /** List the contacts in a segment */
      listSegmentContacts: (
        segmentId: string,
        query?: {
          limit?: number;
          cursor?: string;

          /** Only the contact with this email address */
          email?: string;
          subscribed?: boolean;

          /** Part of the email address or name, ignoring case */
          search?: string;
        },
        options?: Options,
      ): Pages<t.Contact> =>
        client.pages(
          { method: 'GET', path: `/v1/segments/${encodeURIComponent(segmentId)}/contacts`, query },
          options,
        ),
    },
    topics: {
      /** Create a topic */
      create: (body: t.CreateTopicBody, options?: Options): Promise<t.Topic> =>
        client.request({ method: 'POST', path: '/v1/topics', body }, options),

      /** List topics */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.Topic> =>
        client.pages({ method: 'GET', path: '/v1/topics', query }, options),

      /** Get a topic */
      get: (topicId: string, options?: Options): Promise<t.Topic> =>
        client.request({ method: 'GET', path: `/v1/topics/${encodeURIComponent(topicId)}` }, options),

      /** Update a topic */
      update: (topicId: string, body: t.UpdateTopicBody, options?: Options): Promise<t.Topic> =>
        client.request({ method: 'PATCH', path: `/v1/topics/${encodeURIComponent(topicId)}`, body }, options),

      /** Delete a topic */
      delete: (topicId: string, options?: Options): Promise<t.DeleteTopicAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/topics/${encodeURIComponent(topicId)}` }, options),

      /** List the topics of a contact */
      listContactTopics: (
        contactBookId: string,
        contactId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ContactTopic> =>
        client.pages(
          {
            method: 'GET',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}/topics`,
            query,
          },
          options,
        ),

      /** Update the topics of a contact */
      changeContactTopics: (
        contactBookId: string,
        contactId: string,
        body: t.ChangeContactTopicsBody,
        options?: Options,
      ): Promise<t.ChangeContactTopicsAnswer> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/contactBooks/${encodeURIComponent(contactBookId)}/contacts/${encodeURIComponent(contactId)}/topics`,
            body,
          },
          options,
        ),
    },
    forms: {
      /** Create a sign-up form */
      create: (body: t.CreateFormBody, options?: Options): Promise<t.Form> =>
        client.request({ method: 'POST', path: '/v1/forms', body }, options),

      /** List sign-up forms */
      list: (
        query?: {
          limit?: number;
          cursor?: string;

          /** Only forms of this contact book */
          contactBookId?: string;
        },
        options?: Options,
      ): Pages<t.Form> => client.pages({ method: 'GET', path: '/v1/forms', query }, options),

      /** Get a sign-up form */
      get: (formId: string, options?: Options): Promise<t.Form> =>
        client.request({ method: 'GET', path: `/v1/forms/${encodeURIComponent(formId)}` }, options),

      /** Update a sign-up form */
      update: (formId: string, body: t.UpdateFormBody, options?: Options): Promise<t.Form> =>
        client.request({ method: 'PATCH', path: `/v1/forms/${encodeURIComponent(formId)}`, body }, options),

      /** Delete a sign-up form */
      delete: (formId: string, options?: Options): Promise<t.DeleteFormAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/forms/${encodeURIComponent(formId)}` }, options),

      /** Preview a sign-up form */
      preview: (body: t.PreviewFormBody, options?: Options): Promise<t.PreviewFormAnswer> =>
        client.request({ method: 'POST', path: '/v1/forms/preview', body }, options),
    },
    campaigns: {
      /** Create a campaign */
      create: (body: t.CreateCampaignBody, options?: Options): Promise<t.Campaign> =>
        client.request({ method: 'POST', path: '/v1/campaigns', body }, options),

      /** List campaigns */
      list: (
        query?: {
          page?: number;
          status?: 'DRAFT' | 'SCHEDULED' | 'RUNNING' | 'PAUSED' | 'SENT';

          /** Text in the name or subject, ignoring case */
          search?: string;
        },
        options?: Options,
      ): Promise<t.ListCampaignsAnswer> =>
        client.request({ method: 'GET', path: '/v1/campaigns', query }, options),

      /** Get a campaign */
      get: (campaignId: string, options?: Options): Promise<t.Campaign> =>
        client.request({ method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}` }, options),

      /** Update a campaign */
      update: (campaignId: string, body: t.UpdateCampaignBody, options?: Options): Promise<t.Campaign> =>
        client.request(
          { method: 'PATCH', path: `/v1/campaigns/${encodeURIComponent(campaignId)}`, body },
          options,
        ),

      /** Delete a campaign */
      delete: (campaignId: string, options?: Options): Promise<t.Campaign> =>
        client.request(
          { method: 'DELETE', path: `/v1/campaigns/${encodeURIComponent(campaignId)}` },
          options,
        ),

      /** Schedule or send a campaign */
      schedule: (
        campaignId: string,
        body?: t.ScheduleCampaignBody,
        options?: Options,
      ): Promise<t.ScheduleCampaignAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/schedule`, body },
          options,
        ),

      /** Unschedule a campaign */
      unschedule: (campaignId: string, options?: Options): Promise<t.UnscheduleCampaignAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/unschedule` },
          options,
        ),

      /** Pause a campaign */
      pause: (campaignId: string, options?: Options): Promise<t.PauseCampaignAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/pause` },
          options,
        ),

      /** Resume a campaign */
      resume: (campaignId: string, options?: Options): Promise<t.ResumeCampaignAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/resume` },
          options,
        ),

      /** Send a test email */
      test: (
        campaignId: string,
        body: t.TestCampaignBody,
        options?: Options,
      ): Promise<t.TestCampaignAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/test`, body },
          options,
        ),

      /** Preview a campaign */
      preview: (
        campaignId: string,
        body?: t.PreviewCampaignBody,
        options?: Options,
      ): Promise<t.CampaignPreview> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/preview`, body },
          options,
        ),

      /** Check a campaign before it is sent */
      check: (
        campaignId: string,
        query?: {
          /** `false` returns immediately, without checking the links */
          links?: boolean;
        },
        options?: Options,
      ): Promise<t.CampaignCheck> =>
        client.request(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/check`, query },
          options,
        ),

      /** List the versions of a campaign */
      listCampaignVersions: (
        campaignId: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.VersionListItem> =>
        client.pages(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/versions`, query },
          options,
        ),

      /** Get a version of a campaign */
      getCampaignVersion: (campaignId: string, versionId: string, options?: Options): Promise<t.Version> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/campaigns/${encodeURIComponent(campaignId)}/versions/${encodeURIComponent(versionId)}`,
          },
          options,
        ),

      /** Restore a version of a campaign */
      restoreCampaignVersion: (
        campaignId: string,
        versionId: string,
        options?: Options,
      ): Promise<t.Campaign> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/campaigns/${encodeURIComponent(campaignId)}/versions/${encodeURIComponent(versionId)}/restore`,
          },
          options,
        ),

      /** Get the report of a campaign */
      getCampaignReport: (campaignId: string, options?: Options): Promise<t.CampaignReport> =>
        client.request(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/report` },
          options,
        ),

      /** List the recipients of a campaign */
      listCampaignRecipients: (
        campaignId: string,
        query?: {
          limit?: number;
          cursor?: string;

          /** Recipients who have reached this state: `delivered` includes those who opened the email, and `sent` includes everyone with a delivery attempt, even if the email bounced. `waiting`: no attempt yet. `unsubscribed`: by a link in this campaign */
          state?:
            | 'waiting'
            | 'sent'
            | 'delivered'
            | 'opened'
            | 'clicked'
            | 'bounced'
            | 'complained'
            | 'unsubscribed'
            | 'skipped';

          /** Text in the address or the name of the contact, ignoring case */
          search?: string;

          /** `csv` returns the whole list as a CSV file, like the header `Accept: text/csv` */
          format?: 'json' | 'csv';
        },
        options?: Options,
      ): Pages<t.CampaignRecipient> =>
        client.pages(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/recipients`, query },
          options,
        ),

      /** Export the recipients of a campaign as a CSV file */
      exportCampaignRecipients: (
        campaignId: string,
        query?: {
          /** Recipients who have reached this state: `delivered` includes those who opened the email, and `sent` includes everyone with a delivery attempt, even if the email bounced. `waiting`: no attempt yet. `unsubscribed`: by a link in this campaign */
          state?:
            | 'waiting'
            | 'sent'
            | 'delivered'
            | 'opened'
            | 'clicked'
            | 'bounced'
            | 'complained'
            | 'unsubscribed'
            | 'skipped';

          /** Text in the address or the name of the contact, ignoring case */
          search?: string;
        },
        options?: Options,
      ): Promise<Response> =>
        client.download(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/recipients.csv`, query },
          options,
        ),

      /** Get the results of an A/B test */
      getCampaignVariants: (campaignId: string, options?: Options): Promise<t.CampaignVariantResults> =>
        client.request(
          { method: 'GET', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/variants` },
          options,
        ),

      /** Choose the winner of an A/B test */
      chooseCampaignWinner: (
        campaignId: string,
        body: t.ChooseCampaignWinnerBody,
        options?: Options,
      ): Promise<t.ChooseCampaignWinnerAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/campaigns/${encodeURIComponent(campaignId)}/winner`, body },
          options,
        ),
    },
    automations: {
      /** Create an automation */
      create: (body: t.CreateAutomationBody, options?: Options): Promise<t.Automation> =>
        client.request({ method: 'POST', path: '/v1/automations', body }, options),

      /** List automations */
      list: (
        query?: {
          limit?: number;
          cursor?: string;
          status?: 'DRAFT' | 'ACTIVE' | 'CLOSED' | 'PAUSED';

          /** A part of the name */
          search?: string;
        },
        options?: Options,
      ): Pages<t.AutomationListItem> =>
        client.pages({ method: 'GET', path: '/v1/automations', query }, options),

      /** Get an automation */
      get: (automationId: string, options?: Options): Promise<t.Automation> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}` },
          options,
        ),

      /** Update an automation */
      update: (
        automationId: string,
        body: t.UpdateAutomationBody,
        options?: Options,
      ): Promise<t.Automation> =>
        client.request(
          { method: 'PATCH', path: `/v1/automations/${encodeURIComponent(automationId)}`, body },
          options,
        ),

      /** Delete an automation */
      delete: (automationId: string, options?: Options): Promise<t.DeleteAutomationAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/automations/${encodeURIComponent(automationId)}` },
          options,
        ),

      /** Activate an automation */
      activate: (automationId: string, options?: Options): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/activate` },
          options,
        ),

      /** Pause an automation */
      pause: (automationId: string, options?: Options): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/pause` },
          options,
        ),

      /** Resume an automation */
      resume: (
        automationId: string,
        body?: t.ResumeAutomationBody,
        options?: Options,
      ): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/resume`, body },
          options,
        ),

      /** Close an automation */
      close: (automationId: string, options?: Options): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/close` },
          options,
        ),

      /** Duplicate an automation */
      duplicate: (automationId: string, options?: Options): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/duplicate` },
          options,
        ),

      /** Check an automation */
      check: (automationId: string, options?: Options): Promise<t.CheckAutomationAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/check` },
          options,
        ),

      /** Get the secret of webhook steps */
      getAutomationWebhookSecret: (
        automationId: string,
        options?: Options,
      ): Promise<t.GetAutomationWebhookSecretAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/webhook-secret` },
          options,
        ),

      /** See what publishing changes */
      getPublishImpact: (automationId: string, options?: Options): Promise<t.GetPublishImpactAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/publish-impact` },
          options,
        ),

      /** Publish the changes */
      publish: (
        automationId: string,
        body?: t.PublishAutomationBody,
        options?: Options,
      ): Promise<t.Automation> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/publish`, body },
          options,
        ),

      /** List the versions of an automation */
      listAutomationVersions: (
        automationId: string,
        options?: Options,
      ): Promise<t.ListAutomationVersionsAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/versions` },
          options,
        ),

      /** Restore a version */
      restoreAutomationVersion: (
        automationId: string,
        version: string,
        options?: Options,
      ): Promise<t.Automation> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/automations/${encodeURIComponent(automationId)}/versions/${encodeURIComponent(version)}/restore`,
          },
          options,
        ),
    },
    automationRuns: {
      /** List the runs of an automation */
      list: (
        automationId: string,
        query?: {
          limit?: number;
          cursor?: string;
          status?: 'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED';
          contactId?: string;
          step?: string;
        },
        options?: Options,
      ): Pages<t.AutomationRun> =>
        client.pages(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/runs`, query },
          options,
        ),

      /** List the runs of a contact */
      listAutomationRunsOfContact: (
        query: {
          limit?: number;
          cursor?: string;
          contactId: string;
          status?: 'ACTIVE' | 'DONE' | 'EXITED' | 'FAILED' | 'CANCELLED';
        },
        options?: Options,
      ): Pages<t.ContactAutomationRun> =>
        client.pages({ method: 'GET', path: '/v1/automation-runs', query }, options),

      /** Get a run with its history */
      get: (runId: string, options?: Options): Promise<t.AutomationRunDetails> =>
        client.request({ method: 'GET', path: `/v1/automation-runs/${encodeURIComponent(runId)}` }, options),

      /** Cancel a run */
      cancel: (runId: string, options?: Options): Promise<t.AutomationRunDetails> =>
        client.request(
          { method: 'POST', path: `/v1/automation-runs/${encodeURIComponent(runId)}/cancel` },
          options,
        ),

      /** Move a waiting run on */
      skipAutomationWait: (runId: string, options?: Options): Promise<t.AutomationRunDetails> =>
        client.request(
          { method: 'POST', path: `/v1/automation-runs/${encodeURIComponent(runId)}/skip-wait` },
          options,
        ),

      /** Retry a run */
      retry: (runId: string, options?: Options): Promise<t.AutomationRunDetails> =>
        client.request(
          { method: 'POST', path: `/v1/automation-runs/${encodeURIComponent(runId)}/retry` },
          options,
        ),

      /** Start runs of people who are there already */
      enrollContacts: (
        automationId: string,
        body: t.EnrollContactsBody,
        options?: Options,
      ): Promise<t.EnrollContactsAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/enroll`, body },
          options,
        ),

      /** Explain why someone got it or not */
      explainAutomation: (
        automationId: string,
        query: { email: string },
        options?: Options,
      ): Promise<t.ExplainAutomationAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/explain`, query },
          options,
        ),

      /** Simulate a run */
      simulateAutomation: (
        automationId: string,
        body: t.SimulateAutomationBody,
        options?: Options,
      ): Promise<t.SimulateAutomationAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/automations/${encodeURIComponent(automationId)}/simulate`, body },
          options,
        ),

      /** Get the report of an automation */
      getAutomationReport: (automationId: string, options?: Options): Promise<t.AutomationReport> =>
        client.request(
          { method: 'GET', path: `/v1/automations/${encodeURIComponent(automationId)}/report` },
          options,
        ),
    },
    events: {
      /** Send an event */
      send: (body: t.EventInput, options?: Options): Promise<t.SendEventAnswer> =>
        client.request({ method: 'POST', path: '/v1/events', body }, options),

      /** List the events that you have sent */
      list: (
        query?: { limit?: number; cursor?: string; name?: string; contactId?: string },
        options?: Options,
      ): Pages<t.CustomEvent> => client.pages({ method: 'GET', path: '/v1/events', query }, options),

      /** Send up to 1,000 events */
      sendMany: (body: Array<t.EventInput>, options?: Options): Promise<t.SendEventsAnswer> =>
        client.request({ method: 'POST', path: '/v1/events/batch', body }, options),

      /** List the definitions of events */
      listEventDefinitions: (options?: Options): Promise<t.ListEventDefinitionsAnswer> =>
        client.request({ method: 'GET', path: '/v1/event-definitions' }, options),

      /** Define the data of an event */
      putEventDefinition: (
        name: string,
        body: t.PutEventDefinitionBody,
        options?: Options,
      ): Promise<t.EventDefinition> =>
        client.request(
          { method: 'PUT', path: `/v1/event-definitions/${encodeURIComponent(name)}`, body },
          options,
        ),

      /** Get the definition of an event */
      getEventDefinition: (name: string, options?: Options): Promise<t.EventDefinition> =>
        client.request({ method: 'GET', path: `/v1/event-definitions/${encodeURIComponent(name)}` }, options),

      /** Delete the definition of an event */
      deleteEventDefinition: (name: string, options?: Options): Promise<t.DeleteEventDefinitionAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/event-definitions/${encodeURIComponent(name)}` },
          options,
        ),
    },
    feeds: {
      /** Create a feed */
      create: (body: t.CreateFeedBody, options?: Options): Promise<t.Feed> =>
        client.request({ method: 'POST', path: '/v1/feeds', body }, options),

      /** List feeds */
      list: (
        query?: { limit?: number; cursor?: string; contactBookId?: string },
        options?: Options,
      ): Pages<t.Feed> => client.pages({ method: 'GET', path: '/v1/feeds', query }, options),

      /** Get a feed */
      get: (feedId: string, options?: Options): Promise<t.Feed> =>
        client.request({ method: 'GET', path: `/v1/feeds/${encodeURIComponent(feedId)}` }, options),

      /** Update a feed */
      update: (feedId: string, body: t.UpdateFeedBody, options?: Options): Promise<t.Feed> =>
        client.request({ method: 'PATCH', path: `/v1/feeds/${encodeURIComponent(feedId)}`, body }, options),

      /** Delete a feed */
      delete: (feedId: string, options?: Options): Promise<t.DeleteFeedAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/feeds/${encodeURIComponent(feedId)}` }, options),

      /** Read a feed now */
      check: (feedId: string, options?: Options): Promise<t.CheckFeedAnswer> =>
        client.request({ method: 'POST', path: `/v1/feeds/${encodeURIComponent(feedId)}/check` }, options),
    },
    suppressions: {
      /** Suppress an address */
      add: (body: t.AddSuppressionBody, options?: Options): Promise<t.Suppression> =>
        client.request({ method: 'POST', path: '/v1/suppressions', body }, options),

      /** List suppressed addresses */
      list: (
        query?: {
          limit?: number;
          cursor?: string;

          /** Only this address */
          email?: string;

          /** Only addresses that are suppressed for this reason */
          reason?: 'HARD_BOUNCE' | 'COMPLAINT' | 'MANUAL' | 'ERASED';
        },
        options?: Options,
      ): Pages<t.Suppression> => client.pages({ method: 'GET', path: '/v1/suppressions', query }, options),

      /** Remove an address from the suppression list */
      remove: (suppressionId: string, options?: Options): Promise<t.RemoveSuppressionAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/suppressions/${encodeURIComponent(suppressionId)}` },
          options,
        ),
    },
    queue: {
      /** List deliveries in the queue */
      list: (
        query?: {
          limit?: number;
          cursor?: string;

          /** The domain of the recipient */
          domain?: string;
          campaignId?: string;

          /** `true` for held deliveries only, `false` for the others */
          held?: boolean;
        },
        options?: Options,
      ): Pages<t.QueuedDelivery> => client.pages({ method: 'GET', path: '/v1/queue', query }, options),

      /** Count deliveries in the queue */
      count: (
        query?: {
          /** The domain of the recipient */
          domain?: string;
          campaignId?: string;

          /** `true` for held deliveries only, `false` for the others */
          held?: boolean;
        },
        options?: Options,
      ): Promise<t.CountQueueAnswer> =>
        client.request({ method: 'GET', path: '/v1/queue/counts', query }, options),

      /** Get a delivery in the queue with its events */
      getQueuedDelivery: (deliveryId: string, options?: Options): Promise<t.QueuedDeliveryWithEvents> =>
        client.request({ method: 'GET', path: `/v1/queue/${encodeURIComponent(deliveryId)}` }, options),

      /** Try deliveries now */
      retry: (body: t.RetryQueueBody, options?: Options): Promise<t.RetryQueueAnswer> =>
        client.request({ method: 'POST', path: '/v1/queue/retry', body }, options),

      /** Hold deliveries */
      hold: (body: t.HoldQueueBody, options?: Options): Promise<t.HoldQueueAnswer> =>
        client.request({ method: 'POST', path: '/v1/queue/hold', body }, options),

      /** Release held deliveries */
      release: (body: t.ReleaseQueueBody, options?: Options): Promise<t.ReleaseQueueAnswer> =>
        client.request({ method: 'POST', path: '/v1/queue/release', body }, options),

      /** Drop deliveries */
      drop: (body: t.DropQueueBody, options?: Options): Promise<t.DropQueueAnswer> =>
        client.request({ method: 'POST', path: '/v1/queue/drop', body }, options),
    },
    sandbox: {
      /** List captured emails */
      listSandboxMessages: (
        query?: {
          limit?: number;
          cursor?: string;

          /** `false` leaves out `raw` */
          source?: boolean;
        },
        options?: Options,
      ): Pages<t.SandboxMessage> =>
        client.pages({ method: 'GET', path: '/v1/sandbox/messages', query }, options),

      /** Show a captured email with its source */
      getSandboxMessage: (sandboxMessageId: string, options?: Options): Promise<t.SandboxMessage> =>
        client.request(
          { method: 'GET', path: `/v1/sandbox/messages/${encodeURIComponent(sandboxMessageId)}` },
          options,
        ),
    },
    analytics: {
      /** Get an email time series */
      getEmailTimeSeries: (
        query?: {
          /** The number of days, up to and including today. Default: 30. Not together with from and to */
          days?: '7' | '30';

          /** The first day, together with to */
          from?: string;

          /** The last day, at most 400 days in all */
          to?: string;

          /** What one entry stands for. Default: day */
          interval?: 'hour' | 'day' | 'week' | 'month';

          /** The IANA time zone of the days and hours. Default: UTC */
          timezone?: string;

          /** Only email from this domain */
          domainId?: number;

          /** Only email of this campaign */
          campaignId?: string;

          /** Only email with this tag, as `name:value`. Email of campaigns has no tags */
          tag?: string;
        },
        options?: Options,
      ): Promise<
        | {
            result: Array<{
              /** A day, the Monday of a week, or the first day of a month, as 2026-11-15; the start of an hour in UTC */
              date: string;
              sent: number;
              delivered: number;
              opened: number;
              clicked: number;
              bounced: number;
              complained: number;
            }>;
            totalCounts: {
              sent: number;
              delivered: number;
              opened: number;
              clicked: number;
              bounced: number;
              complained: number;
            };

            /** The emails whose opens and clicks were tracked, for rates. Left out if only days and domainId are given. Emails from before the update that introduced these numbers are not included */
            tracked: {
              opens: {
                /** Delivered emails with a tracking pixel */
                emails: number;

                /** How many of them were opened */
                opened: number;
              };
              clicks: {
                /** Delivered emails with tracked links */
                emails: number;

                /** How many of them had a link clicked */
                clicked: number;
              };
            };
          }
        | {
            result: Array<{
              /** A day, the Monday of a week, or the first day of a month, as 2026-11-15; the start of an hour in UTC */
              date: string;
              sent: number;
              delivered: number;
              opened: number;
              clicked: number;
              bounced: number;
              complained: number;
            }>;
            totalCounts: {
              sent: number;
              delivered: number;
              opened: number;
              clicked: number;
              bounced: number;
              complained: number;
            };
          }
      > => client.request({ method: 'GET', path: '/v1/analytics/email-time-series', query }, options),

      /** Get bounce and complaint rates */
      getReputationMetrics: (
        query?: {
          /** Only email from this domain */
          domainId?: number;
        },
        options?: Options,
      ): Promise<t.GetReputationMetricsAnswer> =>
        client.request({ method: 'GET', path: '/v1/analytics/reputation-metrics', query }, options),
    },
    mailboxes: {
      /** Create a mailbox */
      create: (body: t.CreateMailboxBody, options?: Options): Promise<t.Mailbox> =>
        client.request({ method: 'POST', path: '/v1/mailboxes', body }, options),

      /** List mailboxes */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.Mailbox> =>
        client.pages({ method: 'GET', path: '/v1/mailboxes', query }, options),

      /** Get a mailbox */
      get: (id: string, options?: Options): Promise<t.Mailbox> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options),

      /** Update a mailbox */
      update: (id: string, body: t.UpdateMailboxBody, options?: Options): Promise<t.Mailbox> =>
        client.request({ method: 'PATCH', path: `/v1/mailboxes/${encodeURIComponent(id)}`, body }, options),

      /** Delete a mailbox and its messages */
      delete: (id: string, options?: Options): Promise<t.DeleteMailboxAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/mailboxes/${encodeURIComponent(id)}` }, options),

      /** List the further addresses of a mailbox */
      listMailboxAddresses: (id: string, options?: Options): Promise<t.ListMailboxAddressesAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/addresses` }, options),

      /** Add an address to a mailbox */
      addMailboxAddress: (
        id: string,
        body: t.AddMailboxAddressBody,
        options?: Options,
      ): Promise<t.MailboxAddress> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/addresses`, body },
          options,
        ),

      /** Change the name of an address */
      renameMailboxAddress: (
        id: string,
        addressId: string,
        body: t.RenameMailboxAddressBody,
        options?: Options,
      ): Promise<t.MailboxAddress> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/addresses/${encodeURIComponent(addressId)}`,
            body,
          },
          options,
        ),

      /** Remove an address from a mailbox */
      removeMailboxAddress: (
        id: string,
        addressId: string,
        options?: Options,
      ): Promise<t.RemoveMailboxAddressAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/addresses/${encodeURIComponent(addressId)}`,
          },
          options,
        ),

      /** List the signatures of a mailbox */
      listSignatures: (id: string, options?: Options): Promise<t.ListSignaturesAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/signatures` },
          options,
        ),

      /** Create a signature */
      createSignature: (id: string, body: t.CreateSignatureBody, options?: Options): Promise<t.Signature> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/signatures`, body },
          options,
        ),

      /** Update a signature */
      updateSignature: (
        id: string,
        signatureId: string,
        body: t.UpdateSignatureBody,
        options?: Options,
      ): Promise<t.Signature> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/signatures/${encodeURIComponent(signatureId)}`,
            body,
          },
          options,
        ),

      /** Delete a signature */
      deleteSignature: (
        id: string,
        signatureId: string,
        options?: Options,
      ): Promise<t.DeleteSignatureAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/signatures/${encodeURIComponent(signatureId)}`,
          },
          options,
        ),

      /** List blocked senders */
      listBlocks: (id: string, options?: Options): Promise<t.ListBlocksAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/blocks` }, options),

      /** Block a sender */
      blockSender: (id: string, body: t.BlockSenderBody, options?: Options): Promise<t.BlockedSender> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/blocks`, body },
          options,
        ),

      /** Unblock a sender */
      unblockSender: (id: string, blockId: string, options?: Options): Promise<t.UnblockSenderAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/blocks/${encodeURIComponent(blockId)}`,
          },
          options,
        ),

      /** Get who has access to a mailbox */
      getMailboxAccess: (id: string, options?: Options): Promise<t.MailboxAccess> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/access` }, options),

      /** Change who has access to a mailbox */
      changeMailboxAccess: (
        id: string,
        body: t.ChangeMailboxAccessBody,
        options?: Options,
      ): Promise<t.MailboxAccess> =>
        client.request(
          { method: 'PUT', path: `/v1/mailboxes/${encodeURIComponent(id)}/access`, body },
          options,
        ),

      /** Get the automatic reply of a mailbox */
      getAutomaticReply: (id: string, options?: Options): Promise<t.AutomaticReply> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/automatic-reply` },
          options,
        ),

      /** Change the automatic reply of a mailbox */
      updateAutomaticReply: (
        id: string,
        body: t.UpdateAutomaticReplyBody,
        options?: Options,
      ): Promise<t.AutomaticReply> =>
        client.request(
          { method: 'PATCH', path: `/v1/mailboxes/${encodeURIComponent(id)}/automatic-reply`, body },
          options,
        ),

      /** Get a report about a mailbox */
      getMailboxReport: (
        id: string,
        query?: {
          /** The first day, together with to. Default: 30 days, up to and including today */
          from?: string;

          /** The last day, at most 400 days in all */
          to?: string;

          /** The IANA time zone of the days and hours. Default: UTC */
          timezone?: string;
        },
        options?: Options,
      ): Promise<t.MailboxReport> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/report`, query },
          options,
        ),
    },
    rules: {
      /** List the rules of a mailbox */
      list: (id: string, options?: Options): Promise<t.ListRulesAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/rules` }, options),

      /** Create a rule */
      create: (id: string, body: t.CreateRuleBody, options?: Options): Promise<t.Rule> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/rules`, body },
          options,
        ),

      /** Get a rule */
      get: (id: string, ruleId: string, options?: Options): Promise<t.Rule> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}`,
          },
          options,
        ),

      /** Update a rule */
      update: (id: string, ruleId: string, body: t.UpdateRuleBody, options?: Options): Promise<t.Rule> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}`,
            body,
          },
          options,
        ),

      /** Delete a rule */
      delete: (id: string, ruleId: string, options?: Options): Promise<t.DeleteRuleAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}`,
          },
          options,
        ),

      /** List the messages that a rule matches */
      preview: (
        id: string,
        ruleId: string,
        body?: t.PreviewRuleBody,
        options?: Options,
      ): Promise<t.PreviewRuleAnswer> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}/preview`,
            body,
          },
          options,
        ),

      /** Apply a rule to the messages of the mailbox */
      apply: (id: string, ruleId: string, options?: Options): Promise<t.RuleApplication> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}/apply`,
          },
          options,
        ),

      /** Get the progress of applying a rule */
      getRuleApplication: (id: string, ruleId: string, options?: Options): Promise<t.RuleApplication> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/rules/${encodeURIComponent(ruleId)}/apply`,
          },
          options,
        ),

      /** Get the rules as a Sieve script */
      getSieveScript: (id: string, options?: Options): Promise<t.GetSieveScriptAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/rules.sieve` },
          options,
        ),

      /** Replace the rules by a Sieve script */
      putSieveScript: (
        id: string,
        body: t.PutSieveScriptBody,
        options?: Options,
      ): Promise<t.PutSieveScriptAnswer> =>
        client.request(
          { method: 'PUT', path: `/v1/mailboxes/${encodeURIComponent(id)}/rules.sieve`, body },
          options,
        ),
    },
    threads: {
      /** Send a message */
      sendMessage: (
        id: string,
        body: t.SendMessageBody,
        options?: Options,
      ): Promise<t.AcceptedMessage | t.HeldMessage | t.BlockedMessage> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/messages`, body },
          options,
        ),

      /** Create a draft */
      createDraft: (id: string, body: t.CreateDraftBody, options?: Options): Promise<t.Message> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts`, body },
          options,
        ),

      /** List drafts */
      listDrafts: (
        id: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.Message> =>
        client.pages(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts`, query },
          options,
        ),

      /** Get a draft */
      getDraft: (id: string, draftId: string, options?: Options): Promise<t.Message> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}`,
          },
          options,
        ),

      /** Update a draft */
      updateDraft: (
        id: string,
        draftId: string,
        body: t.UpdateDraftBody,
        options?: Options,
      ): Promise<t.Message> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}`,
            body,
          },
          options,
        ),

      /** Delete a draft */
      deleteDraft: (id: string, draftId: string, options?: Options): Promise<t.DeleteDraftAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}`,
          },
          options,
        ),

      /** Take over a draft */
      takeOverDraft: (id: string, draftId: string, options?: Options): Promise<t.Message> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}/take-over`,
          },
          options,
        ),

      /** Add a file to a draft */
      addDraftAttachment: (
        id: string,
        draftId: string,
        body: t.AddDraftAttachmentBody,
        options?: Options,
      ): Promise<t.Message> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}/attachments`,
            body,
          },
          options,
        ),

      /** Remove a file from a draft */
      removeDraftAttachment: (
        id: string,
        draftId: string,
        n: number | string,
        options?: Options,
      ): Promise<t.Message> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}/attachments/${encodeURIComponent(n)}`,
          },
          options,
        ),

      /** Send a draft */
      sendDraft: (
        id: string,
        draftId: string,
        body?: t.SendDraftBody,
        options?: Options,
      ): Promise<t.AcceptedMessage | t.HeldMessage | t.BlockedMessage> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/drafts/${encodeURIComponent(draftId)}/send`,
            body,
          },
          options,
        ),

      /** List folders */
      listFolders: (id: string, options?: Options): Promise<t.ListFoldersAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/folders` }, options),

      /** Create a folder */
      createFolder: (id: string, body: t.CreateFolderBody, options?: Options): Promise<t.Folder> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/folders`, body },
          options,
        ),

      /** Get a folder */
      getFolder: (id: string, folderId: string, options?: Options): Promise<t.Folder> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/folders/${encodeURIComponent(folderId)}`,
          },
          options,
        ),

      /** Rename a folder */
      renameFolder: (
        id: string,
        folderId: string,
        body: t.RenameFolderBody,
        options?: Options,
      ): Promise<t.Folder> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/folders/${encodeURIComponent(folderId)}`,
            body,
          },
          options,
        ),

      /** Delete a folder */
      deleteFolder: (id: string, folderId: string, options?: Options): Promise<t.DeleteFolderAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/folders/${encodeURIComponent(folderId)}`,
          },
          options,
        ),

      /** List or search threads */
      list: (
        id: string,
        query?: {
          limit?: number;
          cursor?: string;

          /** How many threads to skip, from the start or from the cursor */
          offset?: number;

          /** The name or ID of a folder, or one of the views `sent`, `drafts`, `scheduled` and `snoozed`. By default all folders except trash and spam */
          folder?: string;
          unread?: boolean;

          /** Threads with or without a starred message */
          starred?: boolean;

          /** Threads that are assigned to `me`, to `none`, or to the person with this ID */
          assignee?: string;

          /** Threads with a note that mentions you */
          mentions?: 'me';

          /** Threads with a message that has this label, by its ID or keyword */
          label?: string;

          /** Words in the subject, people and text, or `"an exact phrase"`. Also `from:ada`, `to:bob`, `subject:invoice`, `in:archive` (a folder, or `anywhere`; instead of `folder`), `is:unread`, `is:starred`, `is:muted`, `has:attachment`, `label:work`, `before:2026-11-15`, `after:2026-11-01`, `larger:5MB`, `smaller:200k`, and `-word` to exclude a word. Unknown operators are rejected; to search for such a text, put it in quotes. */
          q?: string;
        },
        options?: Options,
      ): Pages<t.Thread> =>
        client.pages(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/threads`, query },
          options,
        ),

      /** Update several threads */
      updateMany: (
        id: string,
        body: t.UpdateThreadsBody,
        options?: Options,
      ): Promise<t.UpdateThreadsAnswer> =>
        client.request(
          { method: 'PATCH', path: `/v1/mailboxes/${encodeURIComponent(id)}/threads`, body },
          options,
        ),

      /** Delete several threads permanently */
      deleteMany: (
        id: string,
        body: t.DeleteThreadsBody,
        options?: Options,
      ): Promise<t.DeleteThreadsAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/mailboxes/${encodeURIComponent(id)}/threads`, body },
          options,
        ),

      /** Empty the trash */
      emptyTrash: (id: string, options?: Options): Promise<t.EmptyTrashAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/mailboxes/${encodeURIComponent(id)}/trash` }, options),

      /** Find recipients */
      findPeople: (
        id: string,
        query: {
          /** The start of an address or name */
          q: string;
        },
        options?: Options,
      ): Promise<t.FindPeopleAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/people`, query },
          options,
        ),

      /** Get a thread with its messages */
      get: (id: string, options?: Options): Promise<t.ThreadWithMessages> =>
        client.request({ method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}` }, options),

      /** Update a thread */
      update: (id: string, body: t.UpdateThreadBody, options?: Options): Promise<t.UpdateThreadAnswer> =>
        client.request({ method: 'PATCH', path: `/v1/threads/${encodeURIComponent(id)}`, body }, options),

      /** Delete a thread permanently */
      delete: (id: string, options?: Options): Promise<t.DeleteThreadAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/threads/${encodeURIComponent(id)}` }, options),

      /** Get a message */
      getMessage: (id: string, options?: Options): Promise<t.Message> =>
        client.request({ method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}` }, options),

      /** Update a message */
      updateMessage: (id: string, body: t.UpdateMessageBody, options?: Options): Promise<t.Message> =>
        client.request({ method: 'PATCH', path: `/v1/messages/${encodeURIComponent(id)}`, body }, options),

      /** Get a message for display */
      displayMessage: (
        id: string,
        query?: {
          /** Whether remote images are blocked */
          images?: 'held' | 'shown';
        },
        options?: Options,
      ): Promise<t.MessageDisplay> =>
        client.request(
          { method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}/display`, query },
          options,
        ),

      /** Get the source of a message */
      getRawMessage: (id: string, options?: Options): Promise<Response> =>
        client.download({ method: 'GET', path: `/v1/messages/${encodeURIComponent(id)}/raw` }, options),

      /** Get an attachment */
      getAttachment: (id: string, n: number | string, options?: Options): Promise<Response> =>
        client.download(
          {
            method: 'GET',
            path: `/v1/messages/${encodeURIComponent(id)}/attachments/${encodeURIComponent(n)}`,
          },
          options,
        ),

      /** Merge threads into one */
      merge: (id: string, body: t.MergeThreadsBody, options?: Options): Promise<t.ThreadWithMessages> =>
        client.request(
          { method: 'POST', path: `/v1/threads/${encodeURIComponent(id)}/merge`, body },
          options,
        ),

      /** Undo a merge */
      undoMerge: (id: string, options?: Options): Promise<t.UndoMergeAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/threads/${encodeURIComponent(id)}/merge` }, options),

      /** Split a thread at a message */
      split: (id: string, options?: Options): Promise<t.ThreadWithMessages> =>
        client.request({ method: 'POST', path: `/v1/messages/${encodeURIComponent(id)}/split` }, options),

      /** Undo a split */
      undoSplit: (id: string, options?: Options): Promise<t.ThreadWithMessages> =>
        client.request({ method: 'DELETE', path: `/v1/messages/${encodeURIComponent(id)}/split` }, options),

      /** Assign a thread */
      assign: (id: string, body: t.AssignThreadBody, options?: Options): Promise<t.Thread> =>
        client.request(
          { method: 'PUT', path: `/v1/threads/${encodeURIComponent(id)}/assignee`, body },
          options,
        ),

      /** List the activity of a thread */
      listThreadActivity: (
        id: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ThreadActivity> =>
        client.pages(
          { method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}/activity`, query },
          options,
        ),

      /** Say that you have a thread open */
      setPresence: (id: string, body: t.SetPresenceBody, options?: Options): Promise<t.SetPresenceAnswer> =>
        client.request(
          { method: 'PUT', path: `/v1/threads/${encodeURIComponent(id)}/presence`, body },
          options,
        ),

      /** Write a note */
      createNote: (id: string, body: t.CreateNoteBody, options?: Options): Promise<t.ThreadNote> =>
        client.request(
          { method: 'POST', path: `/v1/threads/${encodeURIComponent(id)}/notes`, body },
          options,
        ),

      /** List the notes of a thread */
      listNotes: (
        id: string,
        query?: { limit?: number; cursor?: string },
        options?: Options,
      ): Pages<t.ThreadNote> =>
        client.pages({ method: 'GET', path: `/v1/threads/${encodeURIComponent(id)}/notes`, query }, options),

      /** Change a note */
      updateNote: (id: string, body: t.UpdateNoteBody, options?: Options): Promise<t.ThreadNote> =>
        client.request({ method: 'PATCH', path: `/v1/notes/${encodeURIComponent(id)}`, body }, options),

      /** Delete a note */
      deleteNote: (id: string, options?: Options): Promise<t.DeleteNoteAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/notes/${encodeURIComponent(id)}` }, options),

      /** List the labels of a mailbox */
      listLabels: (id: string, options?: Options): Promise<t.ListLabelsAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/labels` }, options),

      /** Create a label */
      createLabel: (id: string, body: t.CreateLabelBody, options?: Options): Promise<t.MailboxLabel> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/labels`, body },
          options,
        ),

      /** Change the name or colour of a label */
      updateLabel: (
        id: string,
        labelId: string,
        body: t.UpdateLabelBody,
        options?: Options,
      ): Promise<t.MailboxLabel> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/labels/${encodeURIComponent(labelId)}`,
            body,
          },
          options,
        ),

      /** Delete a label */
      deleteLabel: (id: string, labelId: string, options?: Options): Promise<t.DeleteLabelAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/labels/${encodeURIComponent(labelId)}`,
          },
          options,
        ),

      /** Replace the labels of a thread */
      setThreadLabels: (id: string, body: t.SetThreadLabelsBody, options?: Options): Promise<t.Thread> =>
        client.request(
          { method: 'PUT', path: `/v1/threads/${encodeURIComponent(id)}/labels`, body },
          options,
        ),

      /** Snooze a thread */
      snooze: (id: string, body: t.SnoozeThreadBody, options?: Options): Promise<t.Thread> =>
        client.request(
          { method: 'PUT', path: `/v1/threads/${encodeURIComponent(id)}/snooze`, body },
          options,
        ),

      /** End the snooze of a thread */
      endSnooze: (id: string, options?: Options): Promise<t.Thread> =>
        client.request({ method: 'DELETE', path: `/v1/threads/${encodeURIComponent(id)}/snooze` }, options),

      /** Mute a thread */
      mute: (id: string, options?: Options): Promise<t.Thread> =>
        client.request({ method: 'PUT', path: `/v1/threads/${encodeURIComponent(id)}/mute` }, options),

      /** Unmute a thread */
      unmute: (id: string, options?: Options): Promise<t.Thread> =>
        client.request({ method: 'DELETE', path: `/v1/threads/${encodeURIComponent(id)}/mute` }, options),

      /** Answer an invitation */
      answerInvitation: (
        id: string,
        body: t.AnswerInvitationBody,
        options?: Options,
      ): Promise<t.EventInvitation> =>
        client.request(
          { method: 'POST', path: `/v1/messages/${encodeURIComponent(id)}/invitation`, body },
          options,
        ),

      /** Leave the mailing list that sent a message */
      leaveList: (id: string, options?: Options): Promise<t.LeaveListAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/messages/${encodeURIComponent(id)}/unsubscribe` },
          options,
        ),
    },
    waitingMessages: {
      /** List waiting messages */
      list: (id: string, options?: Options): Promise<t.ListWaitingMessagesAnswer> =>
        client.request({ method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/scheduled` }, options),

      /** Reschedule a waiting message */
      rescheduleMessage: (
        id: string,
        body: t.RescheduleMessageBody,
        options?: Options,
      ): Promise<t.RescheduleMessageAnswer> =>
        client.request({ method: 'PATCH', path: `/v1/scheduled/${encodeURIComponent(id)}`, body }, options),

      /** Cancel a waiting message */
      takeBackMessage: (id: string, options?: Options): Promise<t.TakeBackMessageAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/scheduled/${encodeURIComponent(id)}` }, options),

      /** Send a waiting message now */
      sendWaitingMessageNow: (id: string, options?: Options): Promise<t.SendWaitingMessageNowAnswer> =>
        client.request({ method: 'POST', path: `/v1/scheduled/${encodeURIComponent(id)}/send-now` }, options),
    },
    people: {
      /** Get what is known about a person */
      getPerson: (email: string, options?: Options): Promise<t.PersonProfile> =>
        client.request({ method: 'GET', path: `/v1/people/${encodeURIComponent(email)}` }, options),

      /** Change the notes about a person */
      updatePerson: (email: string, body: t.UpdatePersonBody, options?: Options): Promise<t.PersonProfile> =>
        client.request({ method: 'PUT', path: `/v1/people/${encodeURIComponent(email)}`, body }, options),
    },
    savedReplies: {
      /** List saved replies */
      list: (id: string, options?: Options): Promise<t.ListSavedRepliesAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies` },
          options,
        ),

      /** Create a saved reply */
      create: (id: string, body: t.CreateSavedReplyBody, options?: Options): Promise<t.SavedReply> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies`, body },
          options,
        ),

      /** Update a saved reply */
      update: (
        id: string,
        replyId: string,
        body: t.UpdateSavedReplyBody,
        options?: Options,
      ): Promise<t.SavedReply> =>
        client.request(
          {
            method: 'PATCH',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}`,
            body,
          },
          options,
        ),

      /** Delete a saved reply */
      delete: (id: string, replyId: string, options?: Options): Promise<t.DeleteSavedReplyAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}`,
          },
          options,
        ),

      /** Add a file to a saved reply */
      addSavedReplyAttachment: (
        id: string,
        replyId: string,
        body: t.AddSavedReplyAttachmentBody,
        options?: Options,
      ): Promise<t.SavedReply> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}/attachments`,
            body,
          },
          options,
        ),

      /** Get a file of a saved reply */
      getSavedReplyAttachment: (
        id: string,
        replyId: string,
        n: number | string,
        options?: Options,
      ): Promise<Response> =>
        client.download(
          {
            method: 'GET',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}/attachments/${encodeURIComponent(n)}`,
          },
          options,
        ),

      /** Remove a file from a saved reply */
      removeSavedReplyAttachment: (
        id: string,
        replyId: string,
        n: number | string,
        options?: Options,
      ): Promise<t.SavedReply> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}/attachments/${encodeURIComponent(n)}`,
          },
          options,
        ),

      /** Fill in a saved reply */
      fill: (
        id: string,
        replyId: string,
        body: t.FillSavedReplyBody,
        options?: Options,
      ): Promise<t.FillSavedReplyAnswer> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/saved-replies/${encodeURIComponent(replyId)}/fill`,
            body,
          },
          options,
        ),

      /** Fill in a message */
      fillMessage: (id: string, body: t.FillMessageBody, options?: Options): Promise<t.FillMessageAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/fill`, body },
          options,
        ),
    },
    appPasswords: {
      /** Create an app password */
      create: (id: string, body: t.CreateAppPasswordBody, options?: Options): Promise<t.CreatedAppPassword> =>
        client.request(
          { method: 'POST', path: `/v1/mailboxes/${encodeURIComponent(id)}/app-passwords`, body },
          options,
        ),

      /** List app passwords */
      list: (id: string, options?: Options): Promise<t.ListAppPasswordsAnswer> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/app-passwords` },
          options,
        ),

      /** Revoke an app password */
      revoke: (id: string, appPasswordId: string, options?: Options): Promise<t.RevokeAppPasswordAnswer> =>
        client.request(
          {
            method: 'DELETE',
            path: `/v1/mailboxes/${encodeURIComponent(id)}/app-passwords/${encodeURIComponent(appPasswordId)}`,
          },
          options,
        ),

      /** Get the settings for email apps */
      getMailSettings: (id: string, options?: Options): Promise<t.MailSettings> =>
        client.request(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/mail-settings` },
          options,
        ),

      /** Get a profile for iPhone, iPad and Mac */
      getAppleProfile: (id: string, options?: Options): Promise<Response> =>
        client.download(
          { method: 'GET', path: `/v1/mailboxes/${encodeURIComponent(id)}/apple-profile` },
          options,
        ),
    },
    webhooks: {
      /** Create a webhook */
      create: (body: t.CreateWebhookBody, options?: Options): Promise<t.WebhookWithSecret> =>
        client.request({ method: 'POST', path: '/v1/webhooks', body }, options),

      /** List webhooks */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.Webhook> =>
        client.pages({ method: 'GET', path: '/v1/webhooks', query }, options),

      /** List event types */
      listEventTypes: (options?: Options): Promise<t.ListEventTypesAnswer> =>
        client.request({ method: 'GET', path: '/v1/webhooks/events' }, options),

      /** Get a webhook */
      get: (webhookId: string, options?: Options): Promise<t.Webhook> =>
        client.request({ method: 'GET', path: `/v1/webhooks/${encodeURIComponent(webhookId)}` }, options),

      /** Update, pause or resume a webhook */
      update: (webhookId: string, body: t.UpdateWebhookBody, options?: Options): Promise<t.Webhook> =>
        client.request(
          { method: 'PATCH', path: `/v1/webhooks/${encodeURIComponent(webhookId)}`, body },
          options,
        ),

      /** Delete a webhook */
      delete: (webhookId: string, options?: Options): Promise<t.DeleteWebhookAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/webhooks/${encodeURIComponent(webhookId)}` }, options),

      /** Rotate the signing secret */
      rotateWebhookSecret: (webhookId: string, options?: Options): Promise<t.WebhookWithSecret> =>
        client.request(
          { method: 'POST', path: `/v1/webhooks/${encodeURIComponent(webhookId)}/rotate-secret` },
          options,
        ),

      /** Send a test event */
      sendTestEvent: (webhookId: string, options?: Options): Promise<t.WebhookCall> =>
        client.request(
          { method: 'POST', path: `/v1/webhooks/${encodeURIComponent(webhookId)}/test` },
          options,
        ),

      /** List the deliveries of a webhook */
      listWebhookCalls: (
        webhookId: string,
        query?: {
          limit?: number;
          cursor?: string;
          status?: 'waiting' | 'succeeded' | 'failed';

          /** Only deliveries of this event type */
          type?: string;
        },
        options?: Options,
      ): Pages<t.WebhookCall> =>
        client.pages(
          { method: 'GET', path: `/v1/webhooks/${encodeURIComponent(webhookId)}/calls`, query },
          options,
        ),

      /** Get a delivery with all its attempts */
      getWebhookCall: (
        webhookId: string,
        callId: string,
        options?: Options,
      ): Promise<t.WebhookCallWithAttempts> =>
        client.request(
          {
            method: 'GET',
            path: `/v1/webhooks/${encodeURIComponent(webhookId)}/calls/${encodeURIComponent(callId)}`,
          },
          options,
        ),

      /** Send a delivery again */
      replayWebhookCall: (webhookId: string, callId: string, options?: Options): Promise<t.WebhookCall> =>
        client.request(
          {
            method: 'POST',
            path: `/v1/webhooks/${encodeURIComponent(webhookId)}/calls/${encodeURIComponent(callId)}/replay`,
          },
          options,
        ),

      /** Send all failed deliveries again */
      replayFailedWebhookCalls: (
        webhookId: string,
        body: t.ReplayFailedWebhookCallsBody,
        options?: Options,
      ): Promise<t.ReplayFailedWebhookCallsAnswer> =>
        client.request(
          { method: 'POST', path: `/v1/webhooks/${encodeURIComponent(webhookId)}/replay-failed`, body },
          options,
        ),
      /** Checks the signature of a webhook and returns its event. */
      verify: verifyWebhook,
    },
    team: {
      /** Get your team */
      get: (options?: Options): Promise<t.Team> =>
        client.request({ method: 'GET', path: '/v1/team' }, options),

      /** Change your team */
      update: (body: t.UpdateTeamBody, options?: Options): Promise<t.Team> =>
        client.request({ method: 'PATCH', path: '/v1/team', body }, options),

      /** Get the brand of your team */
      getBrand: (options?: Options): Promise<t.Brand> =>
        client.request({ method: 'GET', path: '/v1/brand' }, options),

      /** Change the brand of your team */
      updateBrand: (body: t.UpdateBrandBody, options?: Options): Promise<t.Brand> =>
        client.request({ method: 'PATCH', path: '/v1/brand', body }, options),

      /** List stalled work and failing relays */
      listNotices: (options?: Options): Promise<t.ListNoticesAnswer> =>
        client.request({ method: 'GET', path: '/v1/notices' }, options),

      /** Get how the server is set up */
      getInstanceInfo: (options?: Options): Promise<t.InstanceInfo> =>
        client.request({ method: 'GET', path: '/v1/instance' }, options),
    },
    apiKeys: {
      /** Create an API key */
      create: (body: t.CreateApiKeyBody, options?: Options): Promise<t.CreatedApiKey> =>
        client.request({ method: 'POST', path: '/v1/api-keys', body }, options),

      /** List API keys */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.ApiKey> =>
        client.pages({ method: 'GET', path: '/v1/api-keys', query }, options),

      /** Change an API key */
      update: (apiKeyId: string, body: t.UpdateApiKeyBody, options?: Options): Promise<t.ApiKey> =>
        client.request(
          { method: 'PATCH', path: `/v1/api-keys/${encodeURIComponent(apiKeyId)}`, body },
          options,
        ),

      /** Revoke an API key */
      revoke: (apiKeyId: string, options?: Options): Promise<t.RevokeApiKeyAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/api-keys/${encodeURIComponent(apiKeyId)}` }, options),

      /** Give an API key a new secret */
      rotate: (apiKeyId: string, body: t.RotateApiKeyBody, options?: Options): Promise<t.CreatedApiKey> =>
        client.request(
          { method: 'POST', path: `/v1/api-keys/${encodeURIComponent(apiKeyId)}/rotate`, body },
          options,
        ),
    },
    sendPolicies: {
      /** Create a send policy */
      create: (body: t.CreateSendPolicyBody, options?: Options): Promise<t.SendPolicy> =>
        client.request({ method: 'POST', path: '/v1/send-policies', body }, options),

      /** List send policies */
      list: (query?: { limit?: number; cursor?: string }, options?: Options): Pages<t.SendPolicy> =>
        client.pages({ method: 'GET', path: '/v1/send-policies', query }, options),

      /** Get a send policy */
      get: (policyId: string, options?: Options): Promise<t.SendPolicy> =>
        client.request({ method: 'GET', path: `/v1/send-policies/${encodeURIComponent(policyId)}` }, options),

      /** Change a send policy */
      update: (policyId: string, body: t.UpdateSendPolicyBody, options?: Options): Promise<t.SendPolicy> =>
        client.request(
          { method: 'PATCH', path: `/v1/send-policies/${encodeURIComponent(policyId)}`, body },
          options,
        ),

      /** Delete a send policy */
      delete: (policyId: string, options?: Options): Promise<t.DeleteSendPolicyAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/send-policies/${encodeURIComponent(policyId)}` },
          options,
        ),
    },
    approvals: {
      /** List approvals */
      list: (
        query?: {
          limit?: number;
          cursor?: string;

          /** Only approvals in this state */
          state?: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn';

          /** Only those of this mailbox */
          mailboxId?: string;

          /** Only replies to this thread */
          threadId?: string;
        },
        options?: Options,
      ): Pages<t.ApprovalItem> => client.pages({ method: 'GET', path: '/v1/approvals', query }, options),

      /** Count pending approvals */
      count: (
        query?: {
          /** Only those of this mailbox */
          mailboxId?: string;
        },
        options?: Options,
      ): Promise<t.CountApprovalsAnswer> =>
        client.request({ method: 'GET', path: '/v1/approvals/count', query }, options),

      /** Get an approval */
      get: (approvalId: string, options?: Options): Promise<t.Approval> =>
        client.request({ method: 'GET', path: `/v1/approvals/${encodeURIComponent(approvalId)}` }, options),
    },
    members: {
      /** List team members */
      list: (options?: Options): Promise<t.ListMembersAnswer> =>
        client.request({ method: 'GET', path: '/v1/members' }, options),

      /** Change a member’s role */
      changeRole: (memberId: string, body: t.ChangeRoleBody, options?: Options): Promise<t.Member> =>
        client.request(
          { method: 'PATCH', path: `/v1/members/${encodeURIComponent(memberId)}`, body },
          options,
        ),

      /** Remove a member */
      remove: (memberId: string, options?: Options): Promise<t.RemoveMemberAnswer> =>
        client.request({ method: 'DELETE', path: `/v1/members/${encodeURIComponent(memberId)}` }, options),

      /** Invite a member */
      createInvitation: (body: t.CreateInvitationBody, options?: Options): Promise<t.CreatedInvitation> =>
        client.request({ method: 'POST', path: '/v1/invitations', body }, options),

      /** List invitations */
      listInvitations: (options?: Options): Promise<t.ListInvitationsAnswer> =>
        client.request({ method: 'GET', path: '/v1/invitations' }, options),

      /** Revoke an invitation */
      withdrawInvitation: (invitationId: string, options?: Options): Promise<t.WithdrawInvitationAnswer> =>
        client.request(
          { method: 'DELETE', path: `/v1/invitations/${encodeURIComponent(invitationId)}` },
          options,
        ),
    },
    singleSignOn: {
      /** Get the provider of the team */
      get: (options?: Options): Promise<t.SingleSignOn> =>
        client.request({ method: 'GET', path: '/v1/sso' }, options),

      /** Set the provider of the team */
      put: (body: t.PutSingleSignOnBody, options?: Options): Promise<t.SingleSignOn> =>
        client.request({ method: 'PUT', path: '/v1/sso', body }, options),

      /** Remove the provider of the team */
      delete: (options?: Options): Promise<t.DeleteSingleSignOnAnswer> =>
        client.request({ method: 'DELETE', path: '/v1/sso' }, options),
    },
    auditLog: {
      /** List the audit log */
      listAudit: (
        query?: {
          /** The ID of a user or API key, or a kind: person, key, operator or system. */
          actor?: string;

          /** An action such as domain.created, or the first part of some, such as domain. */
          action?: string;

          /** The ID of what was changed. */
          target?: string;
          from?: string;
          to?: string;
          limit?: number;
          cursor?: string;
        },
        options?: Options,
      ): Pages<{
        id: string;
        at: string;
        actor: {
          kind: 'person' | 'key' | 'operator' | 'system';
          id: string | null;
          name: string | null;
          ip: string | null;
        };
        action: string;
        target: string | null;
        before: unknown;
        after: unknown;
        requestId: string | null;
      }> => client.pages({ method: 'GET', path: '/v1/audit', query }, options),

      /** Export the audit log */
      exportAudit: (
        query?: {
          /** The ID of a user or API key, or a kind: person, key, operator or system. */
          actor?: string;

          /** An action such as domain.created, or the first part of some, such as domain. */
          action?: string;

          /** The ID of what was changed. */
          target?: string;
          from?: string;
          to?: string;
        },
        options?: Options,
      ): Promise<Response> => client.download({ method: 'GET', path: '/v1/audit/export', query }, options),

      /** Export the audit log as a CSV file */
      exportAuditCsv: (
        query?: {
          /** The ID of a user or API key, or a kind: person, key, operator or system. */
          actor?: string;

          /** An action such as domain.created, or the first part of some, such as domain. */
          action?: string;

          /** The ID of what was changed. */
          target?: string;
          from?: string;
          to?: string;
        },
        options?: Options,
      ): Promise<Response> =>
        client.download({ method: 'GET', path: '/v1/audit/export.csv', query }, options),

      /** Verify the audit log */
      verifyAudit: (
        query?: {
          /** A head from an earlier email. The chain must contain it. */
          head?: string;
        },
        options?: Options,
      ): Promise<t.VerifyAuditAnswer> =>
        client.request({ method: 'GET', path: '/v1/audit/verification', query }, options),
    },
    requestLog: {
      /** List the requests of API keys */
      listRequests: (
        query?: {
          /** A status such as `422`, or a class such as `4xx`. */
          status?: string;
          method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

          /** A path, or the first part of some: `/api/v1/emails`. `/api/v1` or `/api` may be left out. */
          path?: string;
          keyId?: string;
          requestId?: string;
          limit?: number;
          cursor?: string;
        },
        options?: Options,
      ): Pages<{
        id: string;
        at: string;
        method: string;
        path: string;
        status: number;

        /** How long the response took. */
        durationMs: number;
        keyId: string;

        /** The x-request-id of the response. */
        requestId: string;
        userAgent: string | null;

        /** The email that the request made or named. */
        emailId: string | null;
      }> => client.pages({ method: 'GET', path: '/v1/logs', query }, options),

      /** Show a request with its bodies */
      getRequest: (id: string, options?: Options): Promise<t.GetRequestAnswer> =>
        client.request({ method: 'GET', path: `/v1/logs/${encodeURIComponent(id)}` }, options),
    },
  };
}
