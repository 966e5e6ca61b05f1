import { Link, useNavigate } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { AddButton, ListPage } from '../ui/list-page/list-page.tsx';
import { SearchedTable } from '../ui/list-page/list-tables.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Badge } from '../ui/page/badge.tsx';
import type { Column } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { ChannelFields } from './channel-fields.tsx';
import { CHANNEL_JSON, NEW_CHANNEL } from './channel-values.ts';
import { type Channel, useChannelActions, useChannels } from './queries.ts';
import { type ChannelsText, useChannelsText } from './text.ts';

/** The apps of chat services in which agents answer. */
export function ChannelsPage(): ReactNode {
  const text = useChannelsText();
  const [channels, refusal] = [useChannels(), useRefusal('channels.manage')];
  const [isAdding, setIsAdding] = useState(false);
  return (
    <ListPage
      title={text.title}
      lead={text.lead}
      query={channels}
      empty={{ icon: <MessagesSquare />, title: text.empty, why: text.emptyWhy }}
      add={<AddButton label={text.add} reason={refusal} onClick={() => setIsAdding(true)} />}
      dialogs={
        <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.add} description={text.addLead}>
          <NewChannelForm />
        </Dialog>
      }
    >
      {({ items }) => <ChannelList channels={items} />}
    </ListPage>
  );
}

/** From how many channels on one looks for one by its name. */
const MANY = 8;

function ChannelList({ channels }: { readonly channels: readonly Channel[] }): ReactNode {
  const [text, orgId] = [useChannelsText(), useOrgId()];
  return (
    <SearchedTable
      label={text.title}
      searchLabel={text.filter}
      searchedFrom={MANY}
      columns={columnsOf(text, orgId)}
      rows={channels}
      keyOf={({ id }) => id}
      wordsOf={({ name }) => [name]}
      none={text.none}
    />
  );
}

function columnsOf(text: ChannelsText, orgId: string): readonly Column<Channel>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: ({ id, name }) => (
        <Link to="/o/$orgId/channels/$channelId" params={{ orgId, channelId: id }}>
          {showInvisible(name)}
        </Link>
      ),
    },
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
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useChannelActions()];
  return (
    <RecordForm
      draftKey="channel.new"
      stored={NEW_CHANNEL}
      isNew
      secrets={['secret']}
      json={CHANNEL_JSON}
      submitLabel={text.create}
      onSubmit={async ({ values }) => {
        const { name, agent_id, integration_id, secret, ...rest } = values;
        const chosen = { agent_id: agent_id ?? '', integration_id: integration_id ?? '' };
        const { id: channelId } = await actions.add({ ...rest, ...chosen, name, secret, kind: 'slack' });
        await navigate({ to: '/o/$orgId/channels/$channelId', params: { orgId, channelId } });
      }}
    >
      {(record) => <ChannelFields record={record} isNew />}
    </RecordForm>
  );
}
