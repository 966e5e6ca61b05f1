import type { ReactNode } from 'react';
import { Badge } from '../ui/page/badge.tsx';
import classes from './mcp-servers.module.css';
import type { McpServer } from './queries.ts';
import { isInteractive } from './server-values.ts';
import { useServersText } from './text.ts';

/** Says how a server is: whether its tools could be fetched, whether somebody has signed in, whether it is trusted. */
export function ServerState({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const isDue = isInteractive(server) && server.signed_in_at === null;
  return (
    <span className={classes.badges}>
      {server.fetch_error !== null && <Badge tone="danger">{text.failed}</Badge>}
      {server.fetch_error === null && server.tools_fetched_at !== null && <Badge tone="good">{text.ready}</Badge>}
      {server.fetch_error === null && server.tools_fetched_at === null && <Badge>{text.notAsked}</Badge>}
      {isDue && <Badge tone="warn">{text.signInDue}</Badge>}
      {server.changed_tools.length > 0 && <Badge tone="warn">{text.changedBadge}</Badge>}
      {server.trusted && <Badge tone="warn">{text.trustedBadge}</Badge>}
    </span>
  );
}
