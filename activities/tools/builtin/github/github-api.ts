import { defineApiTool } from '../services/api-tool.ts';

/** Calls any route of GitHub's REST API. */
export const githubApi = defineApiTool({
  key: 'github_api',
  name: 'GitHub API',
  description:
    "Calls any route of GitHub's REST API, for what the other GitHub tools do not cover, such as `/repos/{owner}/{repo}/releases`.",
  category: 'github',
  kind: 'github',
});
