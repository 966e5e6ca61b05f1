import { MessagesSquare } from 'lucide-react';
import type { ReactNode } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { Badge, type Column } from '../ui/page/page.tsx';
import { bodyOf, CHANNEL_JSON, ChannelFields, NEW_CHANNEL } from './channel-fields.tsx';
import { type Channel, useChannelActions, useChannels } from './queries.ts';
import { type ChannelsText, useChannelsText } from './text.ts';

/** The apps of chat services, and mailboxes, in which agents answer. */
export function ChannelsPage(): ReactNode {
  const [text, orgId] = [useChannelsText(), useOrgId()];
  return (
    <ListPage
      text={text}
      icon={<MessagesSquare />}
      query={useChannels()}
      add={{ right: 'channels.manage', form: NewChannelForm }}
    >
      {({ items }) => (
        <SearchedTable
          text={text}
          columns={columnsOf(text, orgId)}
          rows={items}
          wordsOf={({ name, kind }) => [name, text.kinds[kind]]}
          isShortUnsearched
        />
      )}
    </ListPage>
  );
}

function columnsOf(text: ChannelsText, orgId: string): readonly Column<Channel>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name }) => (
        <RecordName to="/o/$orgId/channels/$channelId" params={{ orgId, channelId: id }} name={name} />
      ),
    },
    { key: 'kind', title: text.kind, cell: ({ kind }) => text.kinds[kind] },
    { key: 'state', title: text.state, cell: (channel) => <ChannelState channel={channel} /> },
  ];
}

function ChannelState({ channel: { is_active: isActive, error } }: { readonly channel: Channel }): ReactNode {
  const text = useChannelsText();
  if (!isActive) return <Badge tone="warn">{text.off}</Badge>;
  return <Badge tone={error === null ? 'good' : 'danger'}>{error === null ? text.on : text.failing}</Badge>;
}

function NewChannelForm(): ReactNode {
  const text = useChannelsText();
  const [actions, show] = [useChannelActions(), useShowAdded('/o/$orgId/channels/$channelId')];
  return (
    <RecordForm
      draftKey="channel.new"
      stored={NEW_CHANNEL}
      isNew
      secrets={['secret']}
      json={CHANNEL_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => {
        const { kind, name, secret, agent_id, integration_id } = values;
        const chosen = { agent_id: agent_id ?? '', integration_id: integration_id ?? '' };
        await show(await actions.add({ ...bodyOf(values, values), ...chosen, kind, name, secret }));
      }}
    >
      {(record) => <ChannelFields record={record} isNew />}
    </RecordForm>
  );
}
