import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { LogIn, RefreshCw } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { UsingAgents } from '../agents/using-agents.tsx';
import { useCan, useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { useLeaveDeleted } from '../ui/form/leave-page.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { RecordMenu } from '../ui/form/record-menu.tsx';
import { ActionButton, Confirm, Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, Empty, InlineCode, Loaded, Page } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { OpenAddress, Step, Steps, TimeLeft } from '../ui/steps/steps.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './mcp-servers.module.css';
import { type McpServer, type McpTool, useServer, useServerActions, useServerTools } from './queries.ts';
import {
  bodyOf,
  isInteractive,
  NewServerForm,
  SERVER_JSON,
  ServerFields,
  type ServerValues,
  valuesOf,
} from './server-fields.tsx';
import { useServersText } from './text.ts';
import { ToolArguments } from './tool-arguments.tsx';

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
      back={<BackLink to="/o/$orgId/mcp-servers" params={{ orgId }} label={text.title} />}
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

/** The tools of a server as they were fetched last, what has changed, and why the last fetch failed. */
function ToolList({ server }: { readonly server: McpServer }): ReactNode {
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
            <ul className="stack gap-3" aria-label={text.tools}>
              {items.map((tool) => (
                <li key={tool.name} className={`card ${classes.tool}`}>
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
    <div className="list mb-4">
      {error !== null && (
        <p className="danger wrap-anywhere">
          {showInvisible(error)}. {at !== null && text.lastGood(timeFromNow(at))}
        </p>
      )}
      {error === null && at !== null && <p className="soft wrap-anywhere">{text.fetchedAt(timeFromNow(at))}</p>}
      {removed.length > 0 && <p className="soft wrap-anywhere">{text.removed(names(removed))}</p>}
      {server.changed_tools.length > 0 && (
        <p className="danger wrap-anywhere">{text.changed(names(server.changed_tools))}</p>
      )}
      {leftOut.map(({ name, reason }) => (
        <p key={name} className="soft wrap-anywhere">
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
      <div className="row">
        <strong>{showInvisible(tool.name)}</strong>
        <Badge tone={tool.effect === 'read' ? 'calm' : 'warn'}>{text.effects[tool.effect]}</Badge>
        {tool.change !== null && <Badge tone={CHANGE_TONES[tool.change]}>{text.changes[tool.change]}</Badge>}
      </div>
      {tool.description !== '' && (
        <p className="soft wrap-anywhere">
          <InlineCode text={showInvisible(tool.description)} />
        </p>
      )}
      <details>
        <summary>{text.schema}</summary>
        <ToolArguments schema={tool.input_schema} />
      </details>
    </>
  );
}

function SettingsForm({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const refusal = useRedirectRefusal('mcp_servers.manage', server.owner_id);
  const actions = useServerActions();
  const stored = useMemo(() => valuesOf(server), [server]);
  return (
    <RecordForm
      draftKey={`mcp-server.${server.id}`}
      stored={stored}
      secrets={['url', 'auth_value']}
      reason={refusal}
      json={SERVER_JSON}
      onReload={() => void actions.read()}
      done={text.saved}
      onSubmit={async ({ changes, overwrite }) =>
        actions.change(server.id, bodyOf(changes), overwrite ? undefined : server.updated_at)
      }
    >
      {(record) => <ServerFields record={record} hasSecret={server.has_credentials} />}
    </RecordForm>
  );
}

function ServerButtons({ server }: { readonly server: McpServer }): ReactNode {
  const text = useServersText();
  const [toast, leave] = [useToast(), useLeaveDeleted()];
  const [mayNotManage, actions] = [useRefusal('mcp_servers.manage'), useServerActions()];
  const refusal = useRedirectRefusal('mcp_servers.manage', server.owner_id);
  const [asked, setAsked] = useState<'sign-in' | 'delete'>();
  // Its secret is nowhere here: a copy is given one before it is added.
  const [copied, setCopied] = useState<ServerValues>();
  const name = showInvisible(server.name);
  const fetchTools = async () => toast(text.fetchedTools((await actions.fetchTools(server.id)).length));
  return (
    <>
      <ActionButton icon={RefreshCw} variant="primary" reason={mayNotManage} action={fetchTools}>
        {text.fetch}
      </ActionButton>
      {isInteractive(server) && (
        <Button icon={LogIn} reason={refusal} onClick={() => setAsked('sign-in')}>
          {text.signIn}
        </Button>
      )}
      <RecordMenu
        kind="mcp-server"
        name={server.name}
        body={SERVER_JSON.write(valuesOf(server))}
        mayAdd={mayNotManage === undefined}
        onDuplicate={(copied) => setCopied({ ...valuesOf(server), name: copied })}
        remove={{ label: text.delete, reason: refusal, run: () => setAsked('delete') }}
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
          await leave(text.deleted(name), '/o/$orgId/mcp-servers', `mcp-server.${server.id}`);
        }}
      />
    </>
  );
}

interface SignInDialogProps {
  readonly server: McpServer;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Signs in at the server of a server's authorization: opens its page, and takes the address that it leads back to. */
function SignInDialog({ server, open, onClose }: SignInDialogProps): ReactNode {
  const text = useServersText().signInSteps;
  return (
    <Dialog open={open} onClose={onClose} title={text.title} description={text.lead}>
      <SignInSteps server={server} onClose={onClose} />
    </Dialog>
  );
}

/** How long the address of a sign-in is good for. */
const GOOD_MS = 600_000;

interface StartedSignIn {
  readonly address: string;
  readonly until: string;
}

function SignInSteps({ server, onClose }: Omit<SignInDialogProps, 'open'>): ReactNode {
  const text = useServersText().signInSteps;
  const [actions, toast] = [useServerActions(), useToast()];
  const [started, setStarted] = useState<StartedSignIn>();
  if (started === undefined)
    return (
      <Form
        submitLabel={text.begin}
        actions={<Button onClick={onClose}>{text.cancel}</Button>}
        onSubmit={async () => {
          const address = await actions.beginSignIn(server.id);
          setStarted({ address, until: new Date(Date.now() + GOOD_MS).toISOString() });
        }}
      >
        {null}
      </Form>
    );
  return (
    <Steps label={text.title}>
      <Step title={text.openStep}>
        <OpenAddress address={started.address} label={text.open} copyLabel={text.copyAddress}>
          <TimeLeft until={started.until} say={text.left} />
        </OpenAddress>
      </Step>
      <Step title={text.finishStep}>
        <Form
          submitLabel={text.finish}
          actions={<Button onClick={() => setStarted(undefined)}>{text.again}</Button>}
          onSubmit={async ({ callback_url: callbackUrl = '' }) => {
            await actions.finishSignIn(server.id, callbackUrl);
            toast(text.done);
            onClose();
          }}
        >
          <Field label={text.callback} name="callback_url" hint={text.callbackHint} required autoComplete="off" />
        </Form>
      </Step>
    </Steps>
  );
}
