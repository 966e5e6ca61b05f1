export { budgetBlockedReason, budgetStateOf, type BudgetUse } from './budget-use.ts';
