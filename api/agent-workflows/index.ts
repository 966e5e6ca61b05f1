export { agentBoundOf } from './rules.ts';
