/** The operator's commands. Each works beside a running server: it finds the same database by the same settings. */
import { existsSync } from 'node:fs';
import { loadConfig, ConfigError, type Config } from './config.ts';
import { keyCommand } from './cli/key.ts';
import { migrateCommand } from './cli/migrate.ts';
import { serveCommand } from './cli/serve.ts';
import { teamCommand } from './cli/team.ts';
import { UsageError } from './cli/usage.ts';
import { AppError } from './platform/errors.ts';

type Command = (args: string[], config: Config) => Promise<void>;

const COMMANDS: Record<string, { run: Command; usage: string[] }> = {
  serve: { run: serveCommand, usage: ['serve [--doors http,smtp,worker]'] },
  team: { run: teamCommand, usage: ['team create --name NAME'] },
  key: {
    run: keyCommand,
    usage: [
      'key create --team ID --permission full|sending [--domain DOMAIN] [--name NAME]',
      'key list --team ID',
      'key revoke --team ID KEY_ID',
    ],
  },
  migrate: { run: migrateCommand, usage: ['migrate'] },
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
    else console.error(describe(error));
  }
}

/** The whole chain of causes in words: an operator may see what a stranger may not. */
function describe(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) messages.push(at.message || at.name);
  return messages.join(': ');
}

function usage(): string {
  const lines = Object.values(COMMANDS).flatMap((command) =>
    command.usage.map((line) => `  posthorn ${line}`),
  );
  return `Posthorn, a self-hosted email platform\n\n${lines.join('\n')}\n\nSettings are read from the environment: see docs/configuration.md.`;
}
