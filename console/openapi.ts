export type { components, paths } from '../packages/sdk/src/openapi.ts';
