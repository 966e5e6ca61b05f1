import type { Route } from '../http/define-route.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';
import type { Socket } from './sockets.ts';
import { VIEWER_POLICY, viewerFiles } from './viewer.ts';

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

interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly sockets: readonly Socket[];
  readonly version: string;
}

/** Returns the API's description and the page that shows it. */
export function documentsOf(described: DocumentOptions): StaticDocument[] {
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
