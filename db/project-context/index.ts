export { projectsForTurn } from './for-turn.ts';
export { readProjectContext } from './project-context.ts';
