import { useParams } from '@tanstack/react-router';
import { Pause, Play, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useRedirectRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { CopyButton } from '../ui/code/code-block.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ActionButton, ConfirmButton } from '../ui/overlays/dialog.tsx';
import { useLeaveDeleted } from '../ui/form/leave-page.ts';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, Loaded, Page, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { bodyOf, CHANNEL_JSON, ChannelFields, valuesOf } from './channel-fields.tsx';
import { type Channel, useChannel, useChannelActions } from './queries.ts';
import { useChannelsText } from './text.ts';

/** One channel: how it is, where its events go, and what can be done with it. */
export function ChannelPage(): ReactNode {
  const { channelId } = useParams({ from: '/o/$orgId/channels/$channelId' });
  const channel = useChannel(channelId);
  return <Loaded query={channel}>{(record) => <OpenChannel key={channelId} channel={record} />}</Loaded>;
}

interface ChannelProps {
  readonly channel: Channel;
}

function OpenChannel({ channel }: ChannelProps): ReactNode {
  const [text, orgId, actions] = [useChannelsText(), useOrgId(), useChannelActions()];
  const refusal = useRedirectRefusal('channels.manage', channel.owner_id);
  const stored = useMemo(() => valuesOf(channel), [channel]);
  const { id, is_active: isActive, error, events_url: url } = channel;
  return (
    <Page
      title={showInvisible(channel.name)}
      back={<BackLink to="/o/$orgId/channels" params={{ orgId }} label={text.title} />}
      lead={text.kinds[channel.kind]}
      actions={<ChannelButtons channel={channel} />}
    >
      <div className="stack">
        <div>
          <Badge tone={isActive ? 'good' : 'warn'}>{isActive ? text.on : text.off}</Badge>
        </div>
        {error !== null && <p className="warn">{text.failed(showInvisible(error))}</p>}
        <Section title={text.address} lead={text.addressLeads[channel.kind]}>
          <div className="row">
            <code>{url}</code>
            <CopyButton text={url} />
          </div>
        </Section>
        <RecordForm
          draftKey={`channel.${id}`}
          stored={stored}
          secrets={['secret']}
          reason={refusal}
          json={CHANNEL_JSON}
          onReload={() => void actions.read()}
          done={text.saved}
          onSubmit={async ({ values, changes, overwrite }) =>
            actions.change(id, bodyOf(changes, values), overwrite ? undefined : channel.updated_at)
          }
        >
          {(record) => <ChannelFields record={record} />}
        </RecordForm>
      </div>
    </Page>
  );
}

function ChannelButtons({ channel }: ChannelProps): ReactNode {
  const [text, toast, leave] = [useChannelsText(), useToast(), useLeaveDeleted()];
  const [refusal, actions] = [useRedirectRefusal('channels.manage', channel.owner_id), useChannelActions()];
  const { id, is_active: isActive } = channel;
  const name = showInvisible(channel.name);
  const turn = async () => {
    await actions.change(id, { is_active: !isActive });
    toast(isActive ? text.offNow : text.onNow);
  };
  return (
    <>
      <ActionButton icon={isActive ? Pause : Play} reason={refusal} action={turn}>
        {isActive ? text.turnOff : text.turnOn}
      </ActionButton>
      <ConfirmButton
        icon={Trash2}
        variant="danger"
        reason={refusal}
        question={text.deleteAsk(name)}
        why={text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          await actions.remove(id);
          await leave(text.deleted(name), '/o/$orgId/channels', `channel.${id}`);
        }}
      />
    </>
  );
}
