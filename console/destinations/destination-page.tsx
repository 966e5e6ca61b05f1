import { useParams } from '@tanstack/react-router';
import { Pause, Play, Send, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { ConfirmDelete } from '../ui/form/delete-section.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Badge, Loaded, Page } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { DeliveryList } from '../webhooks/index.ts';
import { bodyOf, DESTINATION_JSON, DestinationFields, valuesOf } from './destination-fields.tsx';
import { type Destination, useDestination, useDestinationActions } from './queries.ts';
import { useDestinationsText } from './text.ts';

/** One destination: how it is, where it leads, and what can be done with it. */
export function DestinationPage(): ReactNode {
  const { destinationId } = useParams({ from: '/o/$orgId/destinations/$destinationId' });
  const destination = useDestination(destinationId);
  return (
    <Loaded query={destination}>{(record) => <OpenDestination key={destinationId} destination={record} />}</Loaded>
  );
}

interface DestinationProps {
  readonly destination: Destination;
}

function OpenDestination({ destination }: DestinationProps): ReactNode {
  const [text, orgId, toast, actions] = [useDestinationsText(), useOrgId(), useToast(), useDestinationActions()];
  const refusal = useRedirectRefusal('integrations.manage', destination.owner_id);
  const stored = useMemo(() => valuesOf(destination), [destination]);
  const { is_active: isActive, paused_reason: why, checked_at: checkedAt, error } = destination;
  return (
    <Page
      title={showInvisible(destination.name)}
      back={<BackLink to="/o/$orgId/destinations" params={{ orgId }} label={text.title} />}
      lead={text.kinds[destination.kind]}
      actions={<DestinationButtons destination={destination} />}
    >
      <div className="wrap mb-4">
        <Badge tone={isActive ? 'good' : 'warn'}>{isActive ? text.active : text.paused}</Badge>
        {checkedAt !== null && <span className="soft wrap-anywhere">{text.tested(timeFromNow(checkedAt))}</span>}
        {error !== null && <span className="danger wrap-anywhere">{showInvisible(error)}</span>}
      </div>
      {why !== null && <p className="warn">{text.pausedWhy(showInvisible(why))}</p>}
      <RecordForm
        draftKey={`destination.${destination.id}`}
        stored={stored}
        secrets={['url', 'secret']}
        reason={refusal}
        json={DESTINATION_JSON}
        onReload={() => void actions.read()}
        onSubmit={async ({ changes, values, overwrite }) => {
          const { name, ...where } = bodyOf(values);
          const body = {
            ...(changes.name !== undefined && { name }),
            ...(Object.keys(changes).some((key) => key !== 'name') && where),
          };
          await actions.change(destination.id, body, overwrite ? undefined : destination.updated_at);
          toast(text.saved);
        }}
      >
        {(record) => <DestinationFields record={record} kind={destination.kind} hasSecret={destination.has_secret} />}
      </RecordForm>
      <DeliveryList source={{ kind: 'destinations', id: destination.id }} />
    </Page>
  );
}

function DestinationButtons({ destination }: DestinationProps): ReactNode {
  const [text, toast] = [useDestinationsText(), useToast()];
  const [mayNotTest, actions] = [useRefusal('integrations.manage'), useDestinationActions()];
  const refusal = useRedirectRefusal('integrations.manage', destination.owner_id);
  const [isAsking, setIsAsking] = useState(false);
  const { id, is_active: isActive } = destination;
  const test = async () => {
    const { latency_ms: ms, error } = await actions.test(id);
    if (error === null) toast(text.taken(ms));
    else toast(text.notTaken(showInvisible(error)), 'failed');
  };
  const turn = async () => {
    await actions.change(id, { is_active: !isActive });
    toast(isActive ? text.pausedNow : text.resumed);
  };
  return (
    <>
      <ActionButton icon={Send} variant="primary" reason={mayNotTest} action={test}>
        {text.test}
      </ActionButton>
      <ActionButton icon={isActive ? Pause : Play} reason={refusal} action={turn}>
        {isActive ? text.pause : text.resume}
      </ActionButton>
      <Button icon={Trash2} variant="danger" reason={refusal} onClick={() => setIsAsking(true)}>
        {text.delete}
      </Button>
      <ConfirmDelete
        text={text}
        name={destination.name}
        open={isAsking}
        onClose={() => setIsAsking(false)}
        onRemove={async (isForced) => actions.remove(id, isForced)}
        list="/o/$orgId/destinations"
        draftKeys={[`destination.${id}`]}
      />
    </>
  );
}
