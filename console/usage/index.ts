export { Budgets } from './budgets/budgets.tsx';
