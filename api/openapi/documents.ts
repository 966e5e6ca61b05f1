import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { escapeHtml } from '../../domain/core/text.ts';
import { accessName, type Route } from '../http/define-route.ts';
import { htmlPage } from '../pages.ts';
import { type DocumentSources, openApiDocument } from './openapi.ts';

/** A document that is served to everybody unchanged. */
export interface StaticDocument {
  readonly path: `/${string}`;
  readonly type: string;
  /** The Content-Security-Policy of a page that needs more than the default allows. */
  readonly policy?: string;
  /** How long a browser may cache it. */
  readonly maxAgeSeconds?: number;
  render(): Buffer;
}

const DAY_SECONDS = 24 * 60 * 60;

/** Returns the API's description and the page that shows it. */
export function documentsOf(described: DocumentSources): StaticDocument[] {
  return [
    {
      path: '/openapi.json',
      type: 'application/json',
      render: () => Buffer.from(JSON.stringify(openApiDocument(described))),
    },
    {
      path: '/docs',
      type: 'text/html',
      policy: VIEWER_POLICY,
      render: () => Buffer.from(docsPage(described.routes)),
    },
    ...viewerFiles().map((file) => ({ ...file, maxAgeSeconds: DAY_SECONDS })),
  ];
}

const HEAD = `<link rel="stylesheet" href="/docs/viewer.css"><script defer src="/docs/viewer.js"></script>
<script defer src="/docs/start.js"></script>`;

/** Renders the page that shows the API's description; without scripts it lists the routes. */
function docsPage(routes: readonly Route[]): string {
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

const require = createRequire(import.meta.url);

/** The policy of a page that shows the viewer: everything comes from this server. The viewer sets styles of its own. */
const VIEWER_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelExpandDepth: 3,
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
});
`;

/** Returns the files of the viewer, by the paths that they are served at. */
function viewerFiles() {
  return [
    {
      path: '/docs/viewer.js',
      type: 'text/javascript',
      render: () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
    },
    {
      path: '/docs/viewer.css',
      type: 'text/css',
      render: () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css')),
    },
    { path: '/docs/start.js', type: 'text/javascript', render: () => Buffer.from(START) },
  ] as const;
}
