/** The operator's commands. Each works beside a running server: it finds the same database by the same settings. */
import { existsSync } from 'node:fs';
import { loadConfig, ConfigError, type Config } from './config.ts';
import { analyticsCommand } from './cli/analytics.ts';
import { backupCommand } from './cli/backup.ts';
import { adviseOn, describeError } from './cli/describe-error.ts';
import { doctorCommand } from './cli/doctor.ts';
import { keyCommand } from './cli/key.ts';
import { migrateCommand } from './cli/migrate.ts';
import { restoreCommand } from './cli/restore.ts';
import { serveCommand } from './cli/serve.ts';
import { teamCommand } from './cli/team.ts';
import { UsageError } from './cli/usage.ts';
import { userCommand } from './cli/user.ts';
import { AppError } from './platform/errors.ts';

type Command = (args: string[], config: Config) => Promise<void>;

const COMMANDS: Record<string, { run: Command; usage: string[] }> = {
  serve: { run: serveCommand, usage: ['serve [--doors http,smtp,worker]'] },
  team: { run: teamCommand, usage: ['team create --name NAME', 'team link --team ID'] },
  user: {
    run: userCommand,
    usage: ['user reset-password --email ADDRESS', 'user stop-two-factor --email ADDRESS'],
  },
  key: {
    run: keyCommand,
    usage: [
      'key create --team ID --permission full|sending [--domain DOMAIN] [--name NAME]',
      'key list --team ID',
      'key revoke --team ID KEY_ID',
    ],
  },
  migrate: { run: migrateCommand, usage: ['migrate'] },
  backup: { run: backupCommand, usage: ['backup [FILE]'] },
  restore: { run: restoreCommand, usage: ['restore FILE [--replace]'] },
  analytics: { run: analyticsCommand, usage: ['analytics rebuild'] },
  doctor: { run: doctorCommand, usage: ['doctor'] },
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
    await command.run(args, loadConfig(process.env));
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof UsageError) {
      console.error(
        `${error.message}\n\nUsage:\n${command.usage.map((line) => `  posthorn ${line}`).join('\n')}`,
      );
      process.exitCode = 2;
    } else if (error instanceof ConfigError || error instanceof AppError) console.error(error.message);
    else console.error(`${describeError(error)}\n${adviseOn(error)}`);
  }
}

function usage(): string {
  const lines = Object.values(COMMANDS).flatMap((command) =>
    command.usage.map((line) => `  posthorn ${line}`),
  );
  return `Posthorn, a self-hosted email platform\n\n${lines.join('\n')}\n\nSettings are read from the environment: see docs/configuration.md.`;
}
