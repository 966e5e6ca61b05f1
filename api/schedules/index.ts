export { timeFields } from './schema.ts';
