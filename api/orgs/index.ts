export { orgSchema } from './schema.ts';
