/** Checks a response against the OpenAPI document and against the limits for error responses. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApi, OpenApiResponse } from '../../src/http/openapi/document.ts';
import type { FuzzedOperation } from './operations.ts';
import type { HttpAnswer } from './send.ts';

interface Fault {
  fault: string;
  detail: string;
}

export type CheckAnswer = (operation: FuzzedOperation, answer: HttpAnswer) => Fault[];

const MAX_REFUSAL_BYTES = 20_000;
const MAX_ISSUES = 50;
const HEADERS_TOO_LARGE = 431;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function createCheck(document: OpenApi): CheckAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  // Times in responses are in UTC with milliseconds.
  ajv.addFormat('date-time', DATE_TIME);
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat('email', true);
  ajv.addFormat('int32', { type: 'number', validate: (value: number) => value === (value | 0) });
  ajv.addSchema({ $id: 'document', components: document.components });
  const compiled = new Map<OpenApiResponse, ValidateFunction>();

  function matches(response: OpenApiResponse, value: unknown): string | null {
    let validate = compiled.get(response);
    if (!validate) {
      const schema = JSON.stringify(response.content['application/json']!.schema);
      validate = ajv.compile(JSON.parse(schema.replaceAll('"#/components/', '"document#/components/')));
      compiled.set(response, validate);
    }
    return validate(value) ? null : ajv.errorsText(validate.errors);
  }

  return (operation, { status, contentType, retryAfter, body }) => {
    const start = body.subarray(0, 400).toString();
    if (isFailure(status, retryAfter)) return [{ fault: `a ${status}`, detail: start }];
    // The HTTP server rejects headers and URLs that are too long before it knows the operation.
    if (status === HEADERS_TOO_LARGE) return checkRefusal(body);
    const response = operation.responses[String(status)];
    if (!response) return [{ fault: `a status that is not declared (${status})`, detail: start }];
    const faults: Fault[] = [];
    if (status >= 400) faults.push(...checkRefusal(body));
    if (!response.content['application/json']) return faults;
    if (!contentType.startsWith('application/json')) {
      faults.push({ fault: 'a content type that is not declared', detail: contentType });
      return faults;
    }
    const problem = matches(response, JSON.parse(body.toString()));
    if (problem) faults.push({ fault: 'an answer that is not as declared', detail: `${problem}: ${start}` });
    return faults;
  };
}

/** A declared 503 says when to try again. */
export function isFailure(status: number, retryAfter: string | null): boolean {
  return status >= 500 && (status !== 503 || retryAfter === null);
}

function checkRefusal(body: Buffer): Fault[] {
  if (body.length > MAX_REFUSAL_BYTES)
    return [{ fault: `a refusal of over ${MAX_REFUSAL_BYTES} bytes`, detail: `${body.length} bytes` }];
  const { error } = JSON.parse(body.toString()) as { error: { issues?: unknown[] } | string };
  const issues = typeof error === 'string' ? 0 : (error.issues?.length ?? 0);
  if (issues > MAX_ISSUES)
    return [{ fault: `a refusal with over ${MAX_ISSUES} issues`, detail: `${issues} issues` }];
  return [];
}
