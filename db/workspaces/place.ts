/** The chat whose workspace it is: the one at the root, for sub-agents. */
export interface WorkspacePlace {
  readonly orgId: string;
  readonly chatId: string;
}
