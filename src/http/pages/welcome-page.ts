/** The page at `/` when the web app is not built, which is when the server runs from its sources. */
import { PAGE_ICON, PAGE_LOGO, PAGE_STYLE } from './page-style.ts';

export function renderWelcomePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn</title>
<link rel="icon" href="${PAGE_ICON}">
<style>${PAGE_STYLE}
body { display: grid; min-height: 100vh; min-height: 100dvh; place-content: center; padding: 1.5rem; }
main { max-width: 32rem; }
.logo { width: 3.5rem; height: 3.5rem; }
h1 { margin: 1rem 0 .75rem; font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; }
p { margin: 0 0 1rem; }
.go {
  display: inline-block; padding: .55rem 1.1rem; border-radius: 8px; background: var(--horn); color: #23211d;
  font-weight: 600; text-decoration: none;
}
.go:hover { text-decoration: underline; }
.later { color: var(--soft); }
</style>
</head>
<body>
<main>
${PAGE_LOGO}
<h1>Posthorn is running</h1>
<p>The API is available at <code>/api/v1</code>.</p>
<p><a class="go" href="/api/docs">Read the documentation</a></p>
<p class="later">This server runs from its sources, without the dashboard and webmail. Run <code>npm run dev:web</code> to serve
them, or <code>npm start</code> to run the built version.</p>
</main>
</body>
</html>
`;
}
