import type { ReactNode } from 'react';
import { timeFromNow } from '../core/text/times.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './mcp-servers.module.css';
import { type McpServer, type McpTool, useServerTools } from './queries.ts';
import { useServersText } from './text.ts';

/** The tools of a server as they were fetched last, what has changed, and why the last fetch failed. */
export function ToolList({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const tools = useServerTools(server.id);
  return (
    <>
      <FetchNotes server={server} />
      <Loaded query={tools}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={text.noTools}>{text.noToolsWhy}</Empty>
          ) : (
            <ul className={classes.tools} aria-label={text.tools}>
              {items.map((tool) => (
                <li key={tool.name} className={classes.tool}>
                  <ToolCard tool={tool} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function FetchNotes({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const { fetch_error: error, tools_fetched_at: at, fetch_changes: changes, left_out: leftOut } = server;
  const names = (all: readonly string[]) => all.map(showInvisible).join(', ');
  const removed = changes?.removed ?? [];
  return (
    <div className={classes.notes}>
      {error !== null && (
        <p className={classes.problem}>
          {showInvisible(error)}. {at !== null && text.lastGood(timeFromNow(at))}
        </p>
      )}
      {error === null && at !== null && <p className={classes.soft}>{text.fetchedAt(timeFromNow(at))}</p>}
      {removed.length > 0 && <p className={classes.soft}>{text.removed(names(removed))}</p>}
      {server.changed_tools.length > 0 && (
        <p className={classes.problem}>{text.changed(names(server.changed_tools))}</p>
      )}
      {leftOut.map(({ name, reason }) => (
        <p key={name} className={classes.soft}>
          {text.leftOut(showInvisible(name), showInvisible(reason))}
        </p>
      ))}
    </div>
  );
}

const CHANGE_TONES = { added: 'good', changed: 'warn' } as const;

function ToolCard({ tool }: { readonly tool: McpTool }): ReactNode {
  const text = useServersText();
  return (
    <>
      <div className={classes.badges}>
        <strong>{showInvisible(tool.name)}</strong>
        <Badge tone={tool.effect === 'read' ? 'calm' : 'warn'}>{text.effects[tool.effect]}</Badge>
        {tool.change !== null && <Badge tone={CHANGE_TONES[tool.change]}>{text.changes[tool.change]}</Badge>}
      </div>
      {tool.description !== '' && <p className={classes.soft}>{showInvisible(tool.description)}</p>}
      <details>
        <summary>{text.schema}</summary>
        <CodeBlock code={JSON.stringify(tool.input_schema, undefined, 2)} language="json" />
      </details>
    </>
  );
}
