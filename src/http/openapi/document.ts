/** The types of the parts of OpenAPI 3.1 that we use. */
import type { Role } from '../../features/api/roles.ts';
import type { AnyRoute } from '../../features/api/route.ts';
import type { JsonSchema, Schemas } from './openapi-schema.ts';

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string }[];
  security: object[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Schemas; securitySchemes: object };
}

export interface ApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  /** Only for operations that differ from the default, an API key or a session. */
  security?: object[];
  'x-permission': AnyRoute['permission'];
  'x-scope': AnyRoute['scope'];
  /** The roles that may call the operation. Missing if it needs no authentication. */
  'x-roles'?: Role[];
  /** Whether an API key that is bound to one domain may call the operation. */
  'x-bound-keys': 'refused' | 'kept-to-domain' | 'kept-to-book';
  'x-body-limit-bytes'?: number;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, OpenApiResponse>;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: string | number | boolean;
}

export interface OpenApiMedia {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content: Record<string, OpenApiMedia>;
}
