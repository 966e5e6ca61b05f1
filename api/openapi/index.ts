export { docsPage } from './docs-page.ts';
export { failureStatuses, openApiDocument } from './openapi.ts';
