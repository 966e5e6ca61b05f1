export { type Chain, useChains } from './queries.ts';
