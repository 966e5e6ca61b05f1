import { useParams } from '@tanstack/react-router';
import { Pause, Play, Send, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Problem } from '../core/http/problem.ts';
import { useRedirectRefusal, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { BackLink, Button } from '../ui/controls/button.tsx';
import { useLeaveDeleted } from '../ui/form/delete-section.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { ActionButton, Confirm } from '../ui/overlays/dialog.tsx';
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
  const [text, toast, leave] = [useDestinationsText(), useToast(), useLeaveDeleted()];
  const [mayNotTest, actions] = [useRefusal('integrations.manage'), useDestinationActions()];
  const refusal = useRedirectRefusal('integrations.manage', destination.owner_id);
  const [asked, setAsked] = useState<'delete' | 'force'>();
  const { id, is_active: isActive } = destination;
  const name = showInvisible(destination.name);
  const test = async () => {
    const { ok, latency_ms: ms, error } = await actions.test(id);
    if (ok) toast(text.taken(ms));
    else toast(text.notTaken(showInvisible(error ?? '')), 'failed');
  };
  const turn = async () => {
    await actions.change(id, { is_active: !isActive });
    toast(isActive ? text.pausedNow : text.resumed);
  };
  return (
    <>
      <ActionButton icon={Send} look="primary" reason={mayNotTest} action={test}>
        {text.test}
      </ActionButton>
      <ActionButton icon={isActive ? Pause : Play} reason={refusal} action={turn}>
        {isActive ? text.pause : text.resume}
      </ActionButton>
      <Button icon={Trash2} look="danger" reason={refusal} onClick={() => setAsked('delete')}>
        {text.delete}
      </Button>
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={text.deleteAsk(name)}
        description={asked === 'force' ? text.deleteForced : text.deleteWhy}
        action={asked === 'force' ? text.deleteAnyway : text.delete}
        onConfirm={async () => {
          try {
            await actions.remove(id, asked === 'force');
          } catch (error) {
            if (error instanceof Problem && error.status === 409) setAsked('force');
            throw error;
          }
          await leave(text.deleted(name), '/o/$orgId/destinations', `destination.${id}`);
        }}
      />
    </>
  );
}
