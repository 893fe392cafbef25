import type { Config } from '../config.ts';
import { verifyAudit, type AuditVerdict } from '../features/audit/verify-audit.ts';
import { listTeamIds, requireTeam } from '../features/account/teams/teams.ts';
import { readOptions, requireTeamId, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function auditCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb !== 'verify') throw unknownSubcommand(verb, ['verify']);
  const { options } = readOptions(args, ['team', 'head']);
  const { head } = options;
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head))
    throw new UsageError('--head must be the 64 hexadecimal digits of a head.');
  if (head !== undefined && options.team === undefined)
    throw new UsageError('--head belongs to one team: add --team.');
  await withInstance(config, async ({ db, secret }) => {
    if (options.team !== undefined) await requireTeam(db, requireTeamId(options.team));
    const teams = options.team === undefined ? await listTeamIds(db) : [requireTeamId(options.team)];
    for (const teamId of teams) print(teamId, await verifyAudit(db, secret, teamId, head ?? null));
  });
}

function print(teamId: number, verdict: AuditVerdict): void {
  const { seals, entries, unsealed, erased, foreign, head, signedBy, faults } = verdict;
  const notes = [
    `${entries} entries, ${seals} seals`,
    ...(unsealed > 0 ? [`${unsealed} entries not sealed yet`] : []),
    ...(erased > 0 ? [`the content of ${erased} entries erased with a person`] : []),
    ...(foreign > 0
      ? [`${foreign} seals signed by another instance, whose signatures were not checked`]
      : []),
  ];
  console.log(
    `Team ${teamId}: ${faults.length === 0 ? 'nothing was changed' : 'CHANGED'} (${notes.join('; ')}).`,
  );
  if (head !== null) console.log(`  Head ${head}, signed by ${signedBy}.`);
  for (const fault of faults) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
