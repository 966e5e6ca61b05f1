export { McpServer } from './mcp-server.entity.ts';
export {
  createMcpServer,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  lockMcpServer,
  mcpServerSecrets,
  type McpServerChanges,
  openAuthValue,
  requireMcpServers,
  updateMcpServer,
} from './mcp-servers.ts';
export { noteChangedTools, noteFetchFailure, readMcpTools, storeMcpTools } from './tool-lists.ts';
export {
  findMcpConnection,
  findServersOfAgent,
  findToolList,
  type McpConnection,
  KnownMcpTools,
  type OfferedMcpTool,
  readOfferedTools,
} from './for-turn.ts';
export {
  beginMcpSignIn,
  failMcpSignIn,
  findMcpSignIn,
  grantToMcpServer,
  isSameGrant,
  mcpGrants,
  type McpSignIn,
  mcpSignInSecrets,
  openGrant,
  openSignIn,
  purgeMcpSignIns,
  readGrant,
  replaceGrant,
  sealGrant,
  sealSignIn,
  storeMcpAnswer,
  storeMcpChallenge,
  takeMcpAnswer,
} from './sign-ins.ts';
