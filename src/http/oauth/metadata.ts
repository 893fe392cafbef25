/** The documents by which clients find out how to sign in: RFC 9728 for the MCP door, and RFC 8414 for the server. */
import { GRANTABLE } from '../../features/identity/oauth/scopes.ts';

export const PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

const RESOURCE_PATH = '/mcp';
const WELL_KNOWN = '/.well-known';

export function issuerOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

export function resourceOf(baseUrl: string): string {
  return issuerOf(baseUrl) + RESOURCE_PATH;
}

/** Undefined for other paths. */
export function findMetadata(path: string, baseUrl: string): object | undefined {
  const documents: Record<string, () => object> = {
    [`${WELL_KNOWN}/oauth-protected-resource`]: () => describeResource(baseUrl),
    [`${WELL_KNOWN}/oauth-protected-resource${RESOURCE_PATH}`]: () => describeResource(baseUrl),
    [`${WELL_KNOWN}/oauth-authorization-server`]: () => describeServer(baseUrl),
  };
  return Object.hasOwn(documents, path) ? documents[path]!() : undefined;
}

function describeResource(baseUrl: string): object {
  return {
    resource: resourceOf(baseUrl),
    authorization_servers: [issuerOf(baseUrl)],
    scopes_supported: GRANTABLE,
    bearer_methods_supported: ['header'],
    resource_name: 'Posthorn',
    resource_documentation: `${issuerOf(baseUrl)}/docs/guides/assistants`,
  };
}

function describeServer(baseUrl: string): object {
  const issuer = issuerOf(baseUrl);
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    registration_endpoint: issuer + PATHS.register,
    revocation_endpoint: issuer + PATHS.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: GRANTABLE,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    protected_resources: [resourceOf(baseUrl)],
  };
}
