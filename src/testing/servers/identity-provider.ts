/** A real OpenID Connect provider (oidc-provider) for tests, and a small browser that signs in with it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface IdentityProvider {
  issuer: string;
  /** The claims of people by the name that they sign in with. */
  people: Map<string, Record<string, unknown>>;
  close(): Promise<void>;
}

export const CLIENT = { clientId: 'posthorn', clientSecret: 'a secret of at least 32 characters!' };

/** `callbacks` are the redirect URIs, and `logouts` the URIs for back-channel logout by client. */
export async function startIdentityProvider(
  redirectUris: string[],
  logoutUri: string | null = null,
): Promise<IdentityProvider> {
  const people = new Map<string, Record<string, unknown>>();
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: redirectUris,
        ...(logoutUri
          ? { backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true }
          : {}),
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of this test'] },
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    fetch: (url: string | URL, options: RequestInit) => fetch(url, { ...options, dispatcher: undefined }),
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people.get(id) }),
    }),
  });
  http.on('request', provider.callback());
  return {
    issuer,
    people,
    async close() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

export interface Browser {
  /** Follows redirects, and fills in the forms of the provider. Returns the last response. */
  signIn(url: string, name: string): Promise<{ status: number; url: string; text: string }>;
  get(url: string): Promise<{ status: number; url: string; text: string }>;
  cookies: Map<string, string>;
}

export function openBrowser(cookies = new Map<string, string>()): Browser {
  async function load(url: string, form: URLSearchParams | null) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  }

  async function follow(url: string, name: string | null) {
    let form: URLSearchParams | null = null;
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await load(url, form);
      form = null;
      const location = response.headers.get('location');
      if (location !== null) {
        url = new URL(location, url).href;
        continue;
      }
      const text = await response.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1];
      if (name === null || !action?.includes('/interaction/')) return { status: response.status, url, text };
      url = new URL(action, url).href;
      const prompt = /name="prompt" value="(\w+)"/.exec(text)![1]!;
      form = new URLSearchParams(prompt === 'login' ? { prompt, login: name, password: 'x' } : { prompt });
    }
    throw new Error('The browser was sent around in circles.');
  }

  return { cookies, signIn: follow, get: (url) => follow(url, null) };
}
