import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The policy of a page that shows the viewer: everything comes from this server. The viewer sets styles of its own. */
export const VIEWER_POLICY = [
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
export function viewerFiles() {
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
