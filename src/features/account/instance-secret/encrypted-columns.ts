/** The columns whose values are encrypted with the instance secret. */
import type { SecretBox } from '../../../platform/crypto.ts';
import { createDomainKeyBox } from '../../sending/domains/domain-keys.ts';
import { createAnswerBox } from '../idempotency/idempotency.ts';
import { totpSecretBox } from '../../identity/people/two-factor.ts';
import { signOnBox } from '../../identity/single-sign-on/providers.ts';
import { createWebhookSecretBox } from '../../webhooks/signature.ts';

export interface EncryptedColumn {
  table: string;
  column: string;
  box: (secret: Buffer) => SecretBox;
}

/** Tables that have a `team_id`. */
export const TEAM_SECRETS: readonly EncryptedColumn[] = [
  { table: 'domains', column: 'private_key', box: createDomainKeyBox },
  { table: 'domains', column: 'next_private_key', box: createDomainKeyBox },
  { table: 'webhooks', column: 'secret', box: createWebhookSecretBox },
  { table: 'webhooks', column: 'old_secret', box: createWebhookSecretBox },
  { table: 'team_sign_on', column: 'client_secret', box: signOnBox },
  { table: 'idempotency_keys', column: 'answer', box: createAnswerBox },
];

/** People belong to several teams. */
export const PERSON_SECRET: EncryptedColumn = { table: 'users', column: 'totp_secret', box: totpSecretBox };
