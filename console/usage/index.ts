export { Budgets } from './budgets.tsx';
