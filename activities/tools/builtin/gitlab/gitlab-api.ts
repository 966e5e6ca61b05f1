import { defineApiTool } from '../services/api-tool.ts';

/** Calls any route of GitLab's REST API. */
export const gitlabApi = defineApiTool({
  key: 'gitlab_api',
  name: 'GitLab API',
  description:
    "Calls any route below `/api/v4` of GitLab's REST API, for what the other GitLab tools do not cover, such as `/projects/group%2Fproject/releases`.",
  category: 'gitlab',
  kind: 'gitlab',
});
