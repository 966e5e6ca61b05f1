import type { ReactNode } from 'react';
import { useCan } from '../../core/permissions.ts';
import { useServers, useServerTools } from '../../mcp-servers/index.ts';
import { MultiChoiceField } from '../../ui/fields/multi-choice-field.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { useAgentsText } from '../text.ts';
import type { AgentValues, AttachedServer } from '../agent-values.ts';
import { useKnowledgeBases } from '../queries.ts';
import classes from './editor.module.css';

/** What an agent can look things up in, and whose tools it may call. */
export function KnowledgeFields({ record }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  return (
    <div className={classes.fields}>
      <BaseFields record={record} />
      <ServerFields record={record} />
    </div>
  );
}

function BaseFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const { data = [] } = useKnowledgeBases();
  const { name, value, onValueChange } = field('knowledge_base_ids');
  return (
    <>
      <SelectField
        label={text.bases}
        name={`${name}_which`}
        options={[
          { value: 'all', label: text.allBases },
          { value: 'chosen', label: text.chosenBases },
        ]}
        value={value === null ? 'all' : 'chosen'}
        onValueChange={(which) => onValueChange(which === 'all' ? null : (value ?? []))}
      />
      {value !== null && (
        <MultiChoiceField
          label={text.chosenBases}
          name={name}
          choices={data.map((base) => ({ value: base.id, label: base.name }))}
          value={value}
          onValueChange={(ids) => onValueChange([...ids])}
        />
      )}
    </>
  );
}

function ServerFields({ record: { field } }: { readonly record: EditedRecord<AgentValues> }): ReactNode {
  const text = useAgentsText().editor;
  const servers = useServers(useCan('mcp_servers.view')).data?.items ?? [];
  const { name, value, onValueChange } = field('mcps');
  const choose = (keys: readonly string[]) =>
    onValueChange(keys.map((key) => value.find((server) => keyOf(server) === key) ?? { server_id: key }));
  const own = value.filter((server) => server.server_id === undefined);
  return (
    <>
      <MultiChoiceField
        label={text.servers}
        hint={text.serversHint}
        name={name}
        choices={[
          ...servers.map((server) => ({ value: server.id, label: server.name })),
          ...own.map((server) => ({ value: keyOf(server), label: server.name ?? keyOf(server) })),
        ]}
        value={value.map(keyOf)}
        onValueChange={choose}
      />
      {value.flatMap((server) =>
        server.server_id === undefined
          ? []
          : [
              <ServerTools
                key={server.server_id}
                id={server.server_id}
                label={servers.find(({ id }) => id === server.server_id)?.name ?? server.server_id}
                tools={server.tools ?? []}
                onChange={(tools) =>
                  onValueChange(value.map((each) => (each === server ? withTools(server, tools) : each)))
                }
              />,
            ],
      )}
    </>
  );
}

interface ServerToolsProps {
  readonly id: string;
  readonly label: string;
  readonly tools: readonly string[];
  readonly onChange: (tools: readonly string[]) => void;
}

function ServerTools({ id, label, tools, onChange }: ServerToolsProps): ReactNode {
  const text = useAgentsText().editor;
  const { data = [] } = useServerTools(id, useCan('mcp_servers.view'));
  return (
    <MultiChoiceField
      label={text.serverTools(label)}
      hint={text.serverToolsHint}
      name={`mcps_${id}`}
      choices={data.map((tool) => ({ value: tool.name, label: tool.name }))}
      value={tools}
      onValueChange={onChange}
    />
  );
}

function keyOf(server: AttachedServer): string {
  return server.server_id ?? server.id ?? server.name ?? server.url ?? '';
}

function withTools({ tools: _before, ...server }: AttachedServer, tools: readonly string[]): AttachedServer {
  return tools.length === 0 ? server : { ...server, tools: [...tools] };
}
