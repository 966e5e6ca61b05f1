export { countOpenWork } from './count-open-work.ts';
export { countAccountStates, sizesOfGrowingTables } from './sizes.ts';
