/** Renders MJML in a worker thread, one document per team at a time. */
import { createTeamQueue } from '../../platform/concurrency/team-queue.ts';
import { findMjmlLibrary, type RenderedMjml } from '../html/render-mjml.ts';
import { renderMjmlInThread } from './thread-pool.ts';

const mjmlQueue = createTeamQueue({ atOnce: 2, perTeam: 1 });

/** `problem` says why it cannot be rendered. */
export function renderMjmlOffLoop(mjml: string, teamId: number): Promise<RenderedMjml> {
  return mjmlQueue(teamId, async () => {
    try {
      return await renderMjmlInThread(mjml, findMjmlLibrary());
    } catch {
      return { problem: 'it is nested too deeply, or takes too long' };
    }
  });
}
