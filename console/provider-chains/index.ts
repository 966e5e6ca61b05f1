export { useChains } from './queries.ts';
