export { createWorkflow, deleteWorkflow, setWorkflowActive, updateWorkflow } from './change-workflows.ts';
