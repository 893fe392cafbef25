/** Keys of agents with a send policy. */
import { expect } from 'vitest';
import type { MailWorld } from './mail-world.ts';
import { createCall, type Call } from './test-server.ts';

export interface Agent {
  id: string;
  key: string;
  policyId: string;
  call: Call;
}

let made = 0;

/** By default a key that may do everything, with a policy that lets everything go. */
export async function makeAgent(
  { team, server }: Pick<MailWorld, 'team' | 'server'>,
  policy: object = {},
  key: object = {},
): Promise<Agent> {
  const { body } = await team.call('POST', '/send-policies', {
    name: `Policy ${(made += 1)}`,
    mode: 'free',
    taint: 'off',
    ...policy,
  });
  const { body: created } = await team.call('POST', '/api-keys', {
    name: 'Agent',
    permission: 'full',
    kind: 'agent',
    policyId: body.id,
    ...key,
  });
  expect(created.key).toBeTruthy();
  return { id: created.id, key: created.key, policyId: body.id, call: createCall(server.url, created.key) };
}
