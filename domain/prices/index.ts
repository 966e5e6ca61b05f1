export { type BilledUsage, costOf, sumOfCosts } from './cost.ts';
export type { FindPrice, Price } from './price.ts';
export { parsePriceList, type PriceList } from './price-list.ts';
