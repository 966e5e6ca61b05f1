import { accessName, type Route } from '../http/define-route.ts';
import { escapeHtml, htmlPage } from '../pages/index.ts';

const HEAD = `<link rel="stylesheet" href="/docs/viewer.css"><script defer src="/docs/viewer.js"></script>
<script defer src="/docs/start.js"></script>`;

/** Renders the page that shows the API's description; without scripts it lists the routes. */
export function docsPage(routes: readonly Route[]): string {
  const tags = Map.groupBy(routes, ({ tag }) => tag);
  const sections = [...tags].map(
    ([tag, ofTag]) => `<h2>${escapeHtml(tag)}</h2><table>${ofTag.map(row).join('')}</table>`,
  );
  return htmlPage({
    title: 'Everturn API',
    head: HEAD,
    body: `<div id="viewer"></div>
<noscript><main><h1>Everturn API</h1>
<p>With scripts this page shows fields, parameters and responses; so does <a href="/openapi.json">/openapi.json</a>
(OpenAPI 3.1).</p>
${sections.join('\n')}
</main></noscript>`,
  });
}

function row({ method, path, summary, access }: Route): string {
  return `<tr><td>${method.toUpperCase()}</td><td><code>${escapeHtml(path)}</code></td><td>${escapeHtml(summary)}</td><td class="access">${escapeHtml(accessName(access))}</td></tr>`;
}
