import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { LogIn, RefreshCw, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { UsingAgents } from '../agents/index.ts';
import { useCan, useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useRecordDrafts } from '../ui/form/record-drafts.ts';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Confirm } from '../ui/overlays/confirm.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { NewServerForm } from './add/new-server-form.tsx';
import { type McpServer, useServer, useServerActions } from './queries.ts';
import { ServerFields } from './server-fields.tsx';
import { bodyOf, isInteractive, SERVER_JSON, type ServerValues, valuesOf } from './server-values.ts';
import { SignInDialog } from './sign-in-dialog.tsx';
import { useServersText } from './text.ts';
import { ToolList } from './tool-list.tsx';

/** One MCP server: its tools, how it is reached, and what can be done with it. */
export function ServerPage(): ReactNode {
  const { serverId } = useParams({ from: '/o/$orgId/mcp-servers/$serverId' });
  const server = useServer(serverId);
  return <Loaded query={server}>{(record) => <OpenServer key={serverId} server={record} />}</Loaded>;
}

function OpenServer({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const { tab } = useSearch({ from: '/o/$orgId/mcp-servers/$serverId' });
  const maySeeAgents = useCan('agents.view');
  return (
    <Page
      title={showInvisible(server.name)}
      back={
        <BackLink to="/o/$orgId/mcp-servers" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
      lead={showInvisible(server.description ?? '')}
      actions={<ServerButtons server={server} />}
    >
      <Tabs
        label={text.parts}
        tabs={[
          { value: 'tools', label: text.tools, count: server.tool_count, content: <ToolList server={server} /> },
          ...(maySeeAgents
            ? [
                {
                  value: 'agents' as const,
                  label: text.agents,
                  content: <UsingAgents uses={{ mcp_server_id: server.id }} />,
                },
              ]
            : []),
          { value: 'settings', label: text.settings, content: <SettingsForm server={server} /> },
        ]}
        value={tab}
        onValueChange={(chosen) => void navigate({ to: '.', search: { tab: chosen }, replace: true })}
      />
    </Page>
  );
}

function SettingsForm({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const refusal = useRedirectRefusal('mcp_servers.manage', server.owner_id);
  const [actions, toast] = [useServerActions(), useToast()];
  const stored = useMemo(() => valuesOf(server), [server]);
  return (
    <RecordForm
      draftKey={`mcp-server.${server.id}`}
      stored={stored}
      secrets={['url', 'auth_value']}
      reason={refusal}
      json={SERVER_JSON}
      onReload={() => void actions.read()}
      onSubmit={async ({ changes, overwrite }) => {
        await actions.change(server.id, bodyOf(changes), overwrite ? undefined : server.updated_at);
        toast(text.saved);
      }}
    >
      {(record) => <ServerFields record={record} hasSecret={server.has_credentials} />}
    </RecordForm>
  );
}

function ServerButtons({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const [orgId, navigate, toast] = [useOrgId(), useNavigate(), useToast()];
  const drafts = useRecordDrafts();
  const [mayNotManage, actions] = [useRefusal('mcp_servers.manage'), useServerActions()];
  const refusal = useRedirectRefusal('mcp_servers.manage', server.owner_id);
  const [asked, setAsked] = useState<'sign-in' | 'delete'>();
  // Its secret is nowhere here: a copy is given one before it is added.
  const [copied, setCopied] = useState<ServerValues>();
  const [isFetching, setIsFetching] = useState(false);
  const name = showInvisible(server.name);
  const fetchTools = () => {
    setIsFetching(true);
    actions
      .fetchTools(server.id)
      .then((tools) => toast(text.fetchedTools(tools.length)))
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsFetching(false));
  };
  return (
    <>
      <Button look="primary" reason={mayNotManage} busy={isFetching} onClick={fetchTools}>
        <RefreshCw aria-hidden />
        {text.fetch}
      </Button>
      {isInteractive(server) && (
        <Button reason={refusal} onClick={() => setAsked('sign-in')}>
          <LogIn aria-hidden />
          {text.signIn}
        </Button>
      )}
      <Button look="danger" reason={refusal} onClick={() => setAsked('delete')}>
        <Trash2 aria-hidden />
        {text.delete}
      </Button>
      <RecordMenu
        kind="mcp-server"
        name={server.name}
        body={SERVER_JSON.write(valuesOf(server))}
        mayAdd={mayNotManage === undefined}
        onDuplicate={(copied) => setCopied({ ...valuesOf(server), name: copied })}
      />
      <Dialog
        open={copied !== undefined}
        onClose={() => setCopied(undefined)}
        title={text.add}
        description={text.copyWhy}
      >
        {copied !== undefined && <NewServerForm draftKey={`mcp-server.copy.${server.id}`} begun={copied} />}
      </Dialog>
      <SignInDialog server={server} open={asked === 'sign-in'} onClose={() => setAsked(undefined)} />
      <Confirm
        open={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        title={text.deleteAsk(name)}
        description={text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          await actions.remove(server.id);
          toast(text.deleted(name));
          // What was changed here and not saved is gone with it.
          drafts.forget(`mcp-server.${server.id}`);
          await navigate({ to: '/o/$orgId/mcp-servers', params: { orgId }, ignoreBlocker: true });
        }}
      />
    </>
  );
}
