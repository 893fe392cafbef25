/** A team with a verified domain, for tests of the doors of other vendors. */
import { addVerifiedDomain } from './relay-world.ts';
import type { TestServer, TestTeam } from './test-server.ts';

export interface SendingTeam extends TestTeam {
  domain: string;
  /** Adds another verified domain and returns its ID. */
  addDomain(name: string): Promise<number>;
  /** Returns a new API key of the team. */
  createKey(options: { permission: 'full' | 'sending'; domainId?: number }): Promise<string>;
  countEmails(search: string): Promise<number>;
}

export async function createSendingTeam(server: TestServer, prefix: string): Promise<SendingTeam> {
  const team = await server.createTeam();
  const domain = `${prefix}${team.teamId}.test`;
  async function addDomain(name: string): Promise<number> {
    return (await addVerifiedDomain(server, team, name)).id;
  }
  await addDomain(domain);
  return {
    ...team,
    domain,
    addDomain,
    createKey: async (options) => (await team.call('POST', '/api-keys', { name: 'k', ...options })).body.key,
    countEmails: async (search) =>
      (await team.call('GET', `/emails?limit=100&search=${encodeURIComponent(search)}`)).body.items.length,
  };
}
