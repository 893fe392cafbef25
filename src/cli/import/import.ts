/**
 * `posthorn import`: imports domains, contacts with their consent, suppressions and templates from another vendor, or
 * mail.
 */
import { openTeamStorage } from '../../features/account/storage/team-storage.ts';
import { createLog } from '../../platform/log.ts';
import { basename } from 'node:path';
import { mailPortsOf } from '../../mail-ports.ts';
import type { Config } from '../../config.ts';
import { requireTeam } from '../../features/account/teams/teams.ts';
import { AppError } from '../../platform/errors.ts';
import { readOptions, requireOption, requireTeamId, unknownSubcommand, UsageError } from '../usage.ts';
import { withInstance } from '../with-instance.ts';
import { NO_CHECKPOINTS, openCheckpoints } from './checkpoints.ts';
import type { Reader } from './items.ts';
import { createListmonkFileReader, createListmonkReader } from './listmonk.ts';
import { createMailchimpReader, mailchimpUrl } from './mailchimp.ts';
import { createMailchimpFileReader } from './mailchimp-file.ts';
import { createMailgunReader } from './mailgun.ts';
import { importImap } from './imap/import-imap.ts';
import { createProgress } from '../progress.ts';
import { createReport, describeProgress, formatReport } from './report.ts';
import { createResendReader } from './resend.ts';
import { createVendorApi } from './vendor-api.ts';
import { createWriter } from './writer.ts';

const OPTIONS = ['team', 'key', 'url', 'file', 'book', 'consent'] as const;
const FLAGS = ['dry-run', 'restart', 'skip-details'] as const;
const VENDORS = ['resend', 'mailgun', 'listmonk', 'mailchimp'] as const;
const WITH_FILES: readonly string[] = ['listmonk', 'mailchimp'];

type Vendor = (typeof VENDORS)[number];
type Options = Partial<Record<(typeof OPTIONS)[number], string>>;
type Flags = Partial<Record<(typeof FLAGS)[number], boolean>>;

export async function importCommand([name, ...args]: string[], config: Config): Promise<void> {
  if (name === 'imap') return importImap(args, config);
  const vendor = VENDORS.find((each) => each === name);
  if (!vendor) throw unknownSubcommand(name, [...VENDORS, 'imap']);
  const { options, flags } = readOptions(args, OPTIONS, { flags: FLAGS });
  const teamId = requireTeamId(options.team);
  if (!['confirmed', 'none', undefined].includes(options.consent))
    throw new UsageError('--consent must be confirmed or none.');
  const stopping = new AbortController();
  const reader = createReader(vendor, options, flags, stopping.signal);
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await withInstance(config, async ({ db, secret, disk }) => {
      await requireTeam(db, teamId);
      const isDry = flags['dry-run'] ?? false;
      const source = [vendor, String(teamId), options.url ?? '', options.key ?? ''];
      const checkpoints =
        isDry || options.file !== undefined
          ? NO_CHECKPOINTS
          : openCheckpoints(config.dataDir, source, { isFresh: flags.restart ?? false });
      if (checkpoints.continuesFrom !== null)
        console.error(
          `Continuing the import that stopped at ${checkpoints.continuesFrom}. Add --restart to start from the beginning.`,
        );
      const report = createReport();
      const storage = openTeamStorage(db, config.teamStorageMb, createLog('error'));
      const writing = {
        db,
        teamId,
        vendor: reader.vendor,
        limits: config.teamLimits,
        facts: { ...config, secret, mailPorts: mailPortsOf(config) },
        disk,
        storage,
        report,
        isDry,
        isConfirmed: options.consent !== 'none',
      };
      const writer = createWriter(writing, checkpoints.save);
      const progress = createProgress(() => describeProgress(report));
      try {
        for await (const item of reader.read(checkpoints)) {
          if (stopping.signal.aborted) throw interrupted();
          await writer.write(item);
          progress.show();
        }
        await writer.flush();
      } catch (error) {
        // Entries that were read before the vendor failed are stored. The first error is reported.
        await writer.flush().catch(() => {});
        throw stopping.signal.aborted ? interrupted() : error;
      } finally {
        await storage.close();
        progress.end();
      }
      checkpoints.remove();
      console.log(formatReport(report, { isDry }));
      if (isDry) console.log('\nThis was a dry run. Nothing was changed.');
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

function interrupted(): AppError {
  return new AppError('UNAVAILABLE', 'Interrupted. Run the same command again to continue.');
}

function createReader(vendor: Vendor, options: Options, flags: Flags, signal: AbortSignal): Reader {
  const { file, book } = options;
  if (file !== undefined) {
    if (!WITH_FILES.includes(vendor) || options.key !== undefined || options.url !== undefined)
      throw new UsageError(
        '--file is only for exports of listmonk and Mailchimp. Use it without --key and --url.',
      );
    return vendor === 'mailchimp'
      ? createMailchimpFileReader(file, book)
      : createListmonkFileReader(file, {
          book: book ?? basename(file).replace(/\.csv$/i, ''),
          isConfirmed: options.consent === 'confirmed',
        });
  }
  if (book !== undefined) throw new UsageError('--book is only for --file.');
  if (flags['skip-details'] && vendor !== 'resend')
    throw new UsageError('--skip-details is only for resend.');
  const key = requireOption(options.key, 'key');
  switch (vendor) {
    case 'resend': {
      const url = options.url ?? 'https://api.resend.com';
      const api = createVendorApi('Resend', url, `Bearer ${key}`, signal);
      return createResendReader(api, { skipDetails: flags['skip-details'] ?? false });
    }
    case 'mailgun': {
      const url = options.url ?? 'https://api.mailgun.net';
      return createMailgunReader(createVendorApi('Mailgun', url, basic(`api:${key}`), signal));
    }
    case 'listmonk': {
      const url = requireOption(options.url, 'url');
      if (!key.includes(':')) throw new UsageError('--key must be USER:TOKEN of an API user of listmonk.');
      return createListmonkReader(createVendorApi('listmonk', url, basic(key), signal));
    }
    case 'mailchimp': {
      const url = options.url ?? mailchimpUrl(key);
      return createMailchimpReader(createVendorApi('Mailchimp', url, basic(`posthorn:${key}`), signal));
    }
  }
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
