export { listProjectAgents, setProjectAgents } from './project-agents.ts';
export {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  lockProject,
  restoreProject,
  type ShownProject,
  takeIssueNumber,
  updateProject,
} from './projects.ts';
