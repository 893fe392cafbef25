/** The operator's commands. Each works while a server is running, on the database that the settings name. */
import { existsSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import { loadConfig, type Config } from './config.ts';
import { suggestFix, describeError } from './cli/describe-error.ts';
import { explainFileLimit } from './cli/file-limit.ts';
import { UsageError } from './cli/usage.ts';
import { posthornVersion } from './posthorn-version.ts';
import { AppError } from './platform/errors.ts';

interface Command {
  /** Commands are loaded on use, so that short commands do not load the whole server. */
  load(): Promise<(args: string[], config: Config) => Promise<void>>;
  usage: string[];
}

/** Every command has this option. */
const ENV_FILE = '--env-file';

const COMMANDS: Record<string, Command> = {
  serve: {
    load: async () => (await import('./cli/serve.ts')).serveCommand,
    usage: ['serve [--doors http,smtp,imap,worker]'],
  },
  team: {
    load: async () => (await import('./cli/team.ts')).teamCommand,
    usage: [
      'team create --name NAME',
      'team link --team ID [--email ADDRESS]',
      'team storage --team ID [--mb NUMBER|default]',
      'team move --team ID --to ENV_FILE [--new-links] [--undo]',
      'team forget --team ID',
    ],
  },
  directory: {
    load: async () => (await import('./cli/directory.ts')).directoryCommand,
    usage: ['directory nginx|haproxy NAME=ENV_FILE… [--map keys|domains|mailboxes|teams]'],
  },
  user: {
    load: async () => (await import('./cli/user.ts')).userCommand,
    usage: ['user reset-password --email ADDRESS', 'user stop-two-factor --email ADDRESS'],
  },
  key: {
    load: async () => (await import('./cli/key.ts')).keyCommand,
    usage: [
      'key create --team ID --permission full|sending [--domain DOMAIN] [--name NAME]',
      'key list --team ID',
      'key revoke --team ID KEY_ID',
    ],
  },
  template: {
    load: async () => (await import('./cli/template/template.ts')).templateCommand,
    usage: ['template push FOLDER [--url URL] [--key KEY] [--dry-run]'],
  },
  queue: {
    load: async () => (await import('./cli/queue.ts')).queueCommand,
    usage: [
      'queue list [--team ID] [--domain DOMAIN] [--campaign ID] [--held] [--limit N] [--json]',
      'queue show DELIVERY_ID|EMAIL_ID [--json]',
      'queue flush|hold|release [DELIVERY_ID…] [--team ID] [--domain DOMAIN] [--campaign ID] [--all]',
      'queue drop [DELIVERY_ID…] [--team ID] [--domain DOMAIN] [--campaign ID] [--yes]',
    ],
  },
  trace: {
    load: async () => (await import('./cli/trace.ts')).traceCommand,
    usage: ['trace ADDRESS|EMAIL_ID|MESSAGE_ID [--json]'],
  },
  audit: {
    load: async () => (await import('./cli/audit.ts')).auditCommand,
    usage: ['audit verify [--team ID [--head HASH]]'],
  },
  migrate: { load: async () => (await import('./cli/migrate.ts')).migrateCommand, usage: ['migrate'] },
  backup: { load: async () => (await import('./cli/backup.ts')).backupCommand, usage: ['backup [FILE]'] },
  restore: {
    load: async () => (await import('./cli/restore.ts')).restoreCommand,
    usage: ['restore FILE [--replace]'],
  },
  import: {
    load: async () => (await import('./cli/import/import.ts')).importCommand,
    usage: [
      'import resend --team ID --key KEY [--url URL] [--skip-details] [--dry-run] [--restart]',
      'import mailgun --team ID --key KEY [--url URL] [--dry-run] [--restart]',
      'import listmonk --team ID --url URL --key USER:TOKEN [--consent none] [--dry-run] [--restart]',
      'import listmonk --team ID --file CSV [--book NAME] [--consent confirmed] [--dry-run]',
      'import mailchimp --team ID --key KEY [--url URL] [--consent none] [--dry-run] [--restart]',
      'import imap --team ID --mailbox ADDRESS --url imaps://HOST --user USER [--password-file FILE] [--dry-run]',
      'import mailchimp --team ID --file ZIP_OR_CSV [--book NAME] [--consent none] [--dry-run]',
    ],
  },
  analytics: {
    load: async () => (await import('./cli/analytics.ts')).analyticsCommand,
    usage: ['analytics rebuild'],
  },
  doctor: { load: async () => (await import('./cli/doctor/doctor.ts')).doctorCommand, usage: ['doctor'] },
};

const ABOUT_SETTINGS =
  'Every command reads its settings from the environment, and from .env or the file in --env-file FILE ' +
  '(docs/configuration.md).';

export async function runCommand(argv: string[]): Promise<void> {
  const { envFile, rest } = takeEnvFile(argv);
  const [name = 'help', ...args] = rest;
  if (['version', '--version', '-v'].includes(name)) return console.log(posthornVersion());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    if (['help', '--help', '-h'].includes(name)) return console.log(usage());
    console.error(`Unknown ${name.startsWith('-') ? 'option' : 'command'} "${name}".\n\n${usage()}`);
    process.exitCode = 2;
    return;
  }
  if (args.some((arg) => ['--help', '-h'].includes(arg))) return console.log(usageOf(command));
  try {
    readEnvFile(envFile);
    const config = loadConfig(process.env);
    const run = await command.load();
    await run(args, config);
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usageOf(command)}`);
      process.exitCode = 2;
    } else if (error instanceof ConfigError || error instanceof AppError) console.error(error.message);
    else console.error(explainFileLimit(error) ?? `${describeError(error)}\n${suggestFix(error)}`.trimEnd());
  }
}

/** Takes `--env-file FILE` or `--env-file=FILE` out of the arguments. The file is null if the name is missing. */
function takeEnvFile(argv: string[]): { envFile?: string | null; rest: string[] } {
  const at = argv.findIndex((arg) => arg === ENV_FILE || arg.startsWith(`${ENV_FILE}=`));
  if (at === -1) return { rest: argv };
  const isSeparate = argv[at] === ENV_FILE;
  const envFile = isSeparate ? argv[at + 1] : argv[at]!.slice(ENV_FILE.length + 1);
  return { envFile: envFile || null, rest: argv.toSpliced(at, isSeparate ? 2 : 1) };
}

/** By default `.env` in the current folder is read, if it exists. Variables of the environment win over the file. */
function readEnvFile(file: string | null | undefined): void {
  if (file === null) throw new UsageError(`${ENV_FILE} needs the name of a file.`);
  if (file === undefined && !existsSync('.env')) return;
  try {
    process.loadEnvFile(file ?? '.env');
  } catch (error) {
    throw new UsageError(`Cannot read the settings in ${file ?? '.env'}: ${(error as Error).message}`);
  }
}

function usageOf(command: Command): string {
  return `Usage:\n${command.usage.map((line) => `  posthorn ${line}`).join('\n')}\n\n${ABOUT_SETTINGS}`;
}

function usage(): string {
  const lines = Object.values(COMMANDS).flatMap((command) =>
    command.usage.map((line) => `  posthorn ${line}`),
  );
  return `Posthorn, a self-hosted email platform\n\n${lines.join('\n')}\n\n${ABOUT_SETTINGS}`;
}
