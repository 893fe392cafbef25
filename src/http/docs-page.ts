import type { OpenApi } from './openapi.ts';

export function renderDocsPage(openApi: OpenApi): string {
  return `<!doctype html><title>${String(openApi.info.title)}</title>`;
}
