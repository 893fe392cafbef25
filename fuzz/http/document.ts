import type { OpenApi } from '../../src/http/openapi/document.ts';
import type { Target } from '../target.ts';
import { send } from './send.ts';

export async function readDocument(target: Target): Promise<OpenApi> {
  const answer = await send(target, {
    name: 'the OpenAPI document',
    group: 'document',
    method: 'GET',
    path: '/v1/openapi.json',
    headers: {},
    body: null,
  });
  if (!answer) throw new Error('The OpenAPI document could not be read.');
  return JSON.parse(answer.body.toString()) as OpenApi;
}
