export { listProjectAgents, setProjectAgents } from './project-agents.ts';
export {
  createProject,
  deleteProject,
  findRepository,
  getProject,
  listProjects,
  lockProject,
  type ProjectRef,
  type ProjectRepository,
  projectSecrets,
  restoreProject,
  type ShownProject,
  takeIssueNumber,
  takeIssueNumbers,
  updateProject,
} from './projects.ts';
