export { listProjectAgents, setProjectAgents } from './project-agents.ts';
export {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  lockProject,
  projectSecrets,
  restoreProject,
  type ShownProject,
  takeIssueNumber,
  takeIssueNumbers,
  updateProject,
} from './projects.ts';
export { findRepository, type ProjectRef, type ProjectRepository } from './repository.ts';
