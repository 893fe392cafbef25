/** What a browser shows at `/`. */
export function renderWelcomePage(): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.5rem; }
  h1 { margin: 0 0 .5rem; font-size: 1.6rem; }
</style>
<h1>📯 Posthorn is running</h1>
<p>The API answers below <code>/api/v1</code>. <a href="/api/docs">Read its documentation</a>.</p>
<p>The dashboard and webmail will live here; this version has the API alone.</p>
</html>
`;
}
