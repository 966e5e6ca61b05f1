import { Plug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { ListPage, RecordName } from '../ui/list-page/list-page.tsx';
import { Badge, type Column, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { isInteractive, NEW_SERVER, NewServerForm, type ServerValues } from './server-fields.tsx';
import { type McpProgram, type McpServer, usePrograms, useServers } from './queries.ts';
import { type ServersText, useServersText } from './text.ts';

/** The MCP servers whose tools agents can be given. */
export function ServersPage(): ReactNode {
  const [text, orgId] = [useServersText(), useOrgId()];
  return (
    <ListPage text={text} icon={<Plug />} query={useServers()} add={{ right: 'mcp_servers.manage', form: NewServer }}>
      {({ items }) => <Table label={text.title} columns={columnsOf(text, orgId)} rows={items} keyOf={({ id }) => id} />}
    </ListPage>
  );
}

function NewServer(): ReactNode {
  const text = useServersText();
  const programs = usePrograms();
  const [begun, setBegun] = useState(NEW_SERVER);
  return (
    <div className="stack form">
      {(programs.data ?? []).length > 0 && (
        <fieldset className="row">
          <legend className="soft wrap-anywhere">{text.programs}</legend>
          {programs.data?.map((program) => (
            <Button
              key={program.url}
              reason={program.available ? undefined : (program.reason ?? text.unavailable)}
              title={showInvisible(program.description)}
              onClick={() => setBegun(valuesOfProgram(program))}
            >
              {showInvisible(program.name)}
            </Button>
          ))}
        </fieldset>
      )}
      <NewServerForm key={begun.url} draftKey={`mcp-server.new.${begun.url}`} begun={begun} />
    </div>
  );
}

function valuesOfProgram({ url, name, description, takes_secret: takesSecret }: McpProgram): ServerValues {
  return { ...NEW_SERVER, url, name, description, auth_type: takesSecret ? 'bearer' : 'none' };
}

function columnsOf(text: ServersText, orgId: string): readonly Column<McpServer>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name, url }) => (
        <RecordName to="/o/$orgId/mcp-servers/$serverId" params={{ orgId, serverId: id }} name={name} note={url} />
      ),
    },
    { key: 'tools', title: text.tools, isNumber: true, cell: ({ tool_count: count }) => count },
    { key: 'state', title: text.state, cell: (server) => <ServerState server={server} /> },
    {
      key: 'fetched',
      title: text.fetched,
      isNumber: true,
      cell: ({ tools_fetched_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
  ];
}

/** Says how a server is: whether its tools could be fetched, whether somebody has signed in, whether it is trusted. */
function ServerState({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const isDue = isInteractive(server) && server.signed_in_at === null;
  return (
    <span className="row">
      {server.fetch_error !== null && <Badge tone="danger">{text.failed}</Badge>}
      {server.fetch_error === null && server.tools_fetched_at !== null && <Badge tone="good">{text.ready}</Badge>}
      {server.fetch_error === null && server.tools_fetched_at === null && <Badge>{text.notAsked}</Badge>}
      {isDue && <Badge tone="warn">{text.signInDue}</Badge>}
      {server.changed_tools.length > 0 && <Badge tone="warn">{text.changedBadge}</Badge>}
      {server.trusted && <Badge tone="warn">{text.trustedBadge}</Badge>}
    </span>
  );
}
