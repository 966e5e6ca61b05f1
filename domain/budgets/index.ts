export { budgetRefusal, budgetStateOf, type BudgetUse } from './budget-use.ts';
