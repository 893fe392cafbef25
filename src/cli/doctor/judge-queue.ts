/** Judges deliveries that are held or that no worker claims, brakes, and teams that a move has left closed. */
import { showCount } from '../show.ts';
import { failure, passed, warning, type DoctorFinding } from './finding.ts';
import { describeCause } from '../../features/sending/domains/domain-brake.ts';
import type { ProbedBrake, QueueProbe } from './probe-database.ts';

export function judgeQueue({ waiting, held, late, latestMinutes }: QueueProbe): DoctorFinding {
  const about = 'Queue';
  const count = waiting === 0 ? 'empty' : showCount(waiting, 'delivery', 'deliveries');
  const words = held === 0 ? count : `${count}, ${held.toLocaleString('en')} held and not sent`;
  if (late > 0) {
    return failure(
      about,
      `${words}; ${late.toLocaleString('en')} should have been tried up to ${showCount(latestMinutes ?? 0, 'minute')} ago`,
      'Start a process that sends mail (posthorn serve, or posthorn serve --doors worker), or read its log. posthorn queue list shows them.',
    );
  }
  if (held > 0) return warning(about, words, 'To send them: posthorn queue release --all');
  return passed(about, words);
}

export function judgeClosedTeams(ids: number[]): DoctorFinding[] {
  return ids.map((id) =>
    failure(
      'Teams',
      `team ${id} is closed, because its move has stopped halfway`,
      'Run the same posthorn team move again to continue it, or with --undo to open the team here.',
    ),
  );
}

export function judgeBrakes(brakes: ProbedBrake[]): DoctorFinding[] {
  return brakes.map(({ name, status, cause }) =>
    status === 'ON'
      ? failure(
          'Brakes',
          `the brake of ${name} is on: ${describeCause(cause)}`,
          'Remove the cause, then release the brake on the page of the domain.',
        )
      : warning(
          'Brakes',
          `${name} comes close to its brake: ${describeCause(cause)}`,
          'Check where these addresses come from.',
        ),
  );
}
