/** The operator's commands. Each works beside a running server: it finds the same database by the same settings. */
import { existsSync } from 'node:fs';
import { loadConfig, ConfigError, type Config } from './config.ts';
import { adviseOn, describeError } from './cli/describe-error.ts';
import { explainFileLimit } from './cli/file-limit.ts';
import { UsageError } from './cli/usage.ts';
import { AppError } from './platform/errors.ts';

type Command = (args: string[], config: Config) => Promise<void>;

/** Loaded when they are run: most are short, and all that the server consists of is not. */
const COMMANDS: Record<string, { load(): Promise<Command>; usage: string[] }> = {
  serve: {
    load: async () => (await import('./cli/serve.ts')).serveCommand,
    usage: ['serve [--doors http,smtp,worker]'],
  },
  team: {
    load: async () => (await import('./cli/team.ts')).teamCommand,
    usage: ['team create --name NAME', 'team link --team ID'],
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
  migrate: { load: async () => (await import('./cli/migrate.ts')).migrateCommand, usage: ['migrate'] },
  backup: { load: async () => (await import('./cli/backup.ts')).backupCommand, usage: ['backup [FILE]'] },
  restore: {
    load: async () => (await import('./cli/restore.ts')).restoreCommand,
    usage: ['restore FILE [--replace]'],
  },
  analytics: {
    load: async () => (await import('./cli/analytics.ts')).analyticsCommand,
    usage: ['analytics rebuild'],
  },
  doctor: { load: async () => (await import('./cli/doctor.ts')).doctorCommand, usage: ['doctor'] },
};

export async function runCommand(argv: string[]): Promise<void> {
  const [name = 'help', ...args] = argv;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    (['help', '--help', '-h'].includes(name) ? console.log : console.error)(usage());
    process.exitCode = ['help', '--help', '-h'].includes(name) ? 0 : 2;
    return;
  }
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const config = loadConfig(process.env);
    const run = await command.load();
    await run(args, config);
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof UsageError) {
      console.error(
        `${error.message}\n\nUsage:\n${command.usage.map((line) => `  posthorn ${line}`).join('\n')}`,
      );
      process.exitCode = 2;
    } else if (error instanceof ConfigError || error instanceof AppError) console.error(error.message);
    else console.error(explainFileLimit(error) ?? `${describeError(error)}\n${adviseOn(error)}`);
  }
}

function usage(): string {
  const lines = Object.values(COMMANDS).flatMap((command) =>
    command.usage.map((line) => `  posthorn ${line}`),
  );
  return `Posthorn, a self-hosted email platform\n\n${lines.join('\n')}\n\nSettings are read from the environment: see docs/configuration.md.`;
}
